#version 460
#include "stage.glsl"
#include "lib/svd3.glsl"

void stage(uint i) {
    Svd d = svd3(dots_strain(i));
    // The rotation alone.
    set_dots_strain(i, d.u * transpose(d.v));
}
