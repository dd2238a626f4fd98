#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "spectral/waves.glsl"

#pragma reads grid.pair
#pragma writes grid.product
#pragma reach grid_pair anywhere

// The product of the transforms of two real fields x and y, from the transform F of x + i y: X = (F(k) + F(-k)*) / 2 and
// Y = (F(k) - F(-k)*) / 2i.
STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    vec2 own = grid_pair(AT(cell)), other = grid_pair(AT((size - cell) % size)) * vec2(1.0, -1.0);
    vec2 x = 0.5 * (own + other), y = -0.5 * turned(own - other);
    set_grid_product(AT(cell), vec2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x));
}
