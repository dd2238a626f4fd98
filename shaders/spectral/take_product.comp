#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

// The product of transforms of real fields is that of a real one.
STAGE_IN_SPACE {
    set_grid_value(AT(cell), grid_product(AT(cell)).x);
}
