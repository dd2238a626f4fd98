#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.product
#pragma writes grid.value

// The product of transforms of real fields is that of a real one.
STAGE_IN_SPACE {
    set_grid_value(AT(cell), grid_product(AT(cell)).x);
}
