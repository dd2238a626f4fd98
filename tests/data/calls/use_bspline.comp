#version 460
#include "stage.glsl"
#include "lib/bspline.glsl"
#include "lib/fixed_point.glsl"

void stage(uint i) {
    Spline s = spline_at(clamp(box_coordinates(dots_position(i)), vec3(1.0), vec3(box_cells) - 1.001));
    for (int n = 0; n < 27; n++) {
        ivec3 node = ivec3(n % 3, n / 3 % 3, n / 9);
        add_box_mass(s.base + node, fixed_mass(spline_weight(s, node), 640u));
    }
}
