#version 460
#include "stage.glsl"
#include "pressure/blocks.glsl"
#include "pressure/stencil.glsl"

#pragma reads grid.faces grid.s coarse.faces coarse.s
#pragma writes grid.s
#pragma reach coarse_s 1

// Adds the correction of a coarser level, `coarse.s`, to s of the finer one (`grid`). It is linear between the centres of
// coarser cells where the face between them is open, and constant across a closed one.

float s_at(ivec3 cell) {
    return coarse_s(in_lattice(cell, coarse_cells));
}

STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells), coarse_size = space_size(coarse_cells);
    if (!may_have_fluid(cell)) {
        return;
    }
    uint word = coarse_faces(in_lattice(cell, coarse_cells));
    Around at = around(cell, coarse_size);
    Parts c = parts_of(word);
    float own = s_at(cell);
    // Beyond an open side the value is 0.
    mat3x2 open = (word & AT_OPEN_SIDE) != 0u ? open_sides(cell, coarse_size, c) : mat3x2(0.0);
    vec3 low = 0.25 * (vec3(c.west * (s_at(at.west) - own), c.south * (s_at(at.south) - own), c.below * (s_at(at.below) - own))
                       - vec3(open[0].x, open[1].x, open[2].x) * own);
    vec3 high = 0.25 * (vec3(c.east * (s_at(at.east) - own), c.north * (s_at(at.north) - own), c.above * (s_at(at.above) - own))
                        - vec3(open[0].y, open[1].y, open[2].y) * own);
    // An axis of one cell is not halved.
    vec3 halved = vec3(greaterThan(size, ivec3(1)));
    low *= halved;
    high *= halved;
    for (int child = 0; child < 8; child++) {
        ivec3 way = ivec3(child & 1, child >> 1 & 1, child >> 2);
        ivec3 fine = 2 * cell + way;
        if (all(lessThan(fine, size)) && is_fluid(grid_faces(AT(fine)))) {
            vec3 part = mix(low, high, vec3(way));
            set_grid_s(AT(fine), grid_s(AT(fine)) + (own + part.x + part.y + part.z));
        }
    }
}
