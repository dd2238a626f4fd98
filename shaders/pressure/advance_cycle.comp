#version 460
#include "stage.glsl"
#include "pressure/advance.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.p grid.r grid.d partial_dq partial_dots
#pragma writes grid.p grid.r partial_norms

vec4 products_of_tile(uint tile) {
    return vec4(partial_dots(tile).x, partial_dq(tile).xy, 0.0);
}

DEFINE_TOTAL(products, products_of_tile, partial_dq_length)

void stage(uvec3 group, uint local) {
    advance(group, local, products(local).xyz);
}
