#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

// The weight of a coarser cell (`grid`): the harmonic mean over its cells of fluid. Along an interface the light fluid carries most
// of the flow, so a mean that the heavy one rules would make corrections far too great there.
STAGE_IN_SPACE {
    ivec3 size = space_size(fine_cells);
    float inverse = 0.0, count = 0.0;
    for (int child = 0; child < 8; child++) {
        ivec3 at = 2 * cell + ivec3(child & 1, child >> 1 & 1, child >> 2);
        if (all(lessThan(at, size))) {
            float weight = uintBitsToFloat(fine_weight(in_lattice(at, fine_cells)));
            inverse += weight > 0.0 ? 1.0 / weight : 0.0;
            count += float(weight > 0.0);
        }
    }
    set_grid_weight(AT(cell), is_fluid(grid_faces(AT(cell))) ? floatBitsToUint(count / inverse) : 0u);
}
