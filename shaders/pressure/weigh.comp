#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

// The weight of each cell of fluid: its density over arg.reference, as the bits of a float; 0 elsewhere. A density that is not
// positive is an error of the user: it is counted, and the reference density stands in for it.
STAGE_IN_SPACE {
    bool fluid = is_fluid(grid_faces(AT(cell)));
    float weight = grid_density(AT(cell)) / arg.reference;
    bool wrong = !(weight > 0.0) || isinf(weight);
    count_weightless(fluid && wrong);
    set_grid_weight(AT(cell), fluid ? floatBitsToUint(wrong ? 1.0 : weight) : 0u);
}
