#version 460
#include "stage.glsl"
#include "pressure/blocks.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.faces grid.relative_density grid.r grid.s coarse.faces coarse.plain coarse.relative_density
#pragma writes coarse.r coarse.z
#pragma arguments sweeps
#pragma reach coarse_relative_density 1
#pragma reach grid_s 1

// The right side of a coarser level: the residual of the finer one (`grid`), added up over the cells in a coarser cell. A is
// -h^2 times Laplace's operator, so a sum over eight cells counts half, over four cells of a plane once. Then the first
// smoothing of the coarser level, z = omega r / diagonal.

float s_at(ivec3 cell) {
    return grid_s(AT(cell));
}

DEFINE_FLUX(flux, s_at)

#if HAS_coarse_relative_density
uint coarse_density_at(ivec3 cell) {
    return coarse_relative_density(in_lattice(cell, coarse_cells));
}
#endif

DEFINE_COEFFICIENTS(coarse_coefficients, coarse_density_at)

#if HAS_coarse_plain
#define COARSE_MARKS(CELL) (PLAIN != 0 ? coarse_plain(in_lattice(CELL, coarse_cells)) : 0u)
#else
#define COARSE_MARKS(CELL) 0u
#endif

void set_coarse(ivec3 cell, float r, float own) {
    set_coarse_r(in_lattice(cell, coarse_cells), r);
    set_coarse_z(in_lattice(cell, coarse_cells), own > 0.0 ? arg.sweeps.x * r / own : 0.0);
}

STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    ivec3 halves = ivec3(greaterThan(size, ivec3(1))) + 1;
    float sum = 0.0;
    uint marks = COARSE_MARKS(cell);
    if ((marks & PLAIN_CHILDREN) != 0u && (marks & PLAIN_BUT_ENDS) != 0u && size.x > 2) {
        bool at_west = cell.x == 0, at_east = 2 * cell.x + 2 == size.x, at_end = (at_west || at_east) && periodic_axes().x == 0;
        for (int child = 0; child < 8; child++) {
            ivec3 way = ivec3(child & 1, child >> 1 & 1, child >> 2), fine = 2 * cell + way, side = 2 * way - 1, beside = fine;
            beside.x = side.x < 0 ? lower(fine.x, size.x, periodic_axes().x) : upper(fine.x, size.x, periodic_axes().x);
            float own = s_at(fine);
            // Flows between the eight cells cancel. The flow through a side of the domain follows below.
            sum += grid_r(AT(fine)) - ((own - s_at(beside)) + (own - s_at(fine + ivec3(0, side.y, 0)))
                                       + (own - s_at(fine + ivec3(0, 0, side.z))));
        }
        float diagonal = 6.0;
        if (at_end) {
            int face = at_west ? 0 : 1, x = at_west ? 0 : size.x - 1;
            for (int k = 0; k < 4; k++) {
                ivec3 fine = ivec3(x, 2 * cell.yz + ivec2(k & 1, k >> 1));
                sum -= part(part_of(grid_faces(AT(fine)), face)) * s_at(fine);
            }
            diagonal = 5.0 + part(part_of(coarse_faces(in_lattice(cell, coarse_cells)), face));
        }
        set_coarse(cell, 0.5 * sum, diagonal);
        return;
    }
    if (may_have_fluid(cell)) {
        for (int child = 0; child < 8; child++) {
            ivec3 fine = 2 * cell + ivec3(child & 1, child >> 1 & 1, child >> 2);
            if (all(lessThan(fine, size))) {
                uint word = grid_faces(AT(fine));
                float rest = grid_r(AT(fine)) - flux(word, fine, size, coefficients(word, fine, size), s_at(fine));
                sum += is_fluid(word) ? rest : 0.0;
            }
        }
    }
    uint word = coarse_faces(in_lattice(cell, coarse_cells));
    float own = diagonal(coarse_coefficients(word, cell, space_size(coarse_cells)));
    float r = is_fluid(word) ? sum * 4.0 / float(halves.x * halves.y * halves.z) : 0.0;
    set_coarse(cell, r, own);
}
