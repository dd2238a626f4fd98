#version 460
#include "stage.glsl"
#include "pressure/blocks.glsl"
#include "pressure/coefficients.glsl"

#pragma reads grid.faces grid.relative_density grid.r grid.s coarse.faces coarse.relative_density
#pragma writes coarse.r coarse.z
#pragma arguments damping
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

STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    ivec3 halves = ivec3(greaterThan(size, ivec3(1))) + 1;
    float sum = 0.0;
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
    set_coarse_r(in_lattice(cell, coarse_cells), r);
    set_coarse_z(in_lattice(cell, coarse_cells), own > 0.0 ? arg.damping * r / own : 0.0);
}
