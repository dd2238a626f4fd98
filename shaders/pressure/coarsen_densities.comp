#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

#pragma reads fine.relative_density grid.faces
#pragma writes grid.relative_density

// The density of a coarser cell (`grid`): the harmonic mean over its cells of fluid. Along an interface the light fluid moves
// most, so with a mean that the heavy one rules, corrections would be far too great there.
STAGE_IN_SPACE {
    ivec3 size = space_size(fine_cells);
    float inverse = 0.0, count = 0.0;
    for (int child = 0; child < 8; child++) {
        ivec3 at = 2 * cell + ivec3(child & 1, child >> 1 & 1, child >> 2);
        if (all(lessThan(at, size))) {
            float rho = uintBitsToFloat(fine_relative_density(in_lattice(at, fine_cells)));
            inverse += rho > 0.0 ? 1.0 / rho : 0.0;
            count += float(rho > 0.0);
        }
    }
    // A coarser cell of fluid holds some, so count is 1 at least.
    set_grid_relative_density(AT(cell), is_fluid(grid_faces(AT(cell))) ? floatBitsToUint(count / inverse) : 0u);
}
