#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"

#pragma reads grid.faces grid.relative_density grid.r
#pragma writes grid.s
#pragma workgroup 512

// The coarsest level, of at most 8 cells along each axis, in one workgroup: sweeps of successive over-relaxation with the
// best factor for as many cells (Young 1954, "Iterative methods for solving partial difference equations of elliptic type"),
// red and black cells in turn.
layout(constant_id = 0) const int SWEEPS = 12;

shared float x[512];

uint slot(ivec3 cell) {
    return uint(cell.x + 8 * (cell.y + 8 * cell.z));
}

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells), cell = ivec3(local & 7u, local >> 3 & 7u, local >> 6);
    bool inside = all(lessThan(cell, size));
    uint word = inside ? grid_faces(AT(cell)) : 0u;
    float r = inside ? grid_r(AT(cell)) : 0.0;
    Parts c = coefficients(word, min(cell, size - 1), size);
    float own = diagonal(c);
    bool solves = is_fluid(word) && own > 0.0;
    Around at = around(min(cell, size - 1), size);
    int most = max(size.x, max(size.y, size.z));
    float omega = 2.0 / (1.0 + sin(3.14159265 / float(max(most, 2))));
    x[local] = 0.0;
    barrier();
    for (int sweep = 0; sweep < 2 * SWEEPS; sweep++) {
        Ring near = Ring(x[slot(at.west)], x[slot(at.east)], x[slot(at.south)], x[slot(at.north)], x[slot(at.below)],
                         x[slot(at.above)]);
        float before = x[local];
        float rest = r - flux(c, near, before) - through_open_sides(word, cell, size, c, before);
        // Round a period of an odd number of cells, cells of one colour are neighbours.
        barrier();
        if (solves && (cell.x + cell.y + cell.z & 1) == (sweep & 1)) {
            x[local] = before + omega * rest / own;
        }
        barrier();
    }
    if (inside) {
        set_grid_s(AT(cell), x[local]);
    }
}
