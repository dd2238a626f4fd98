#version 460
#include "stage.glsl"
#include "lib/bspline.glsl"

// Per point: where its nodes begin, and 27 weights with their gradients.
void stage(uint i) {
    Spline s = spline_at(points(i));
    set_bases(i, s.base);
    for (int k = 0; k < 27; k++) {
        ivec3 n = ivec3(k % 3, k / 3 % 3, k / 9);
        set_weights(27u * i + uint(k), vec4(spline_weight(s, n), spline_gradient(s, n)));
    }
}
