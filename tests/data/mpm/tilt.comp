#version 460
#include "stage.glsl"

// Ground that falls towards +x by arg.fall, and has a height of arg.height (m) at x = arg.at.
void stage(ivec2 vertex) {
    vec2 world = ground_position(vertex);
    set_ground_elevation(vertex, arg.height - arg.fall * (world.x - arg.at) - float(arg.snow) * arg.snow_unit);
    set_ground_snow(vertex, arg.snow);
}
