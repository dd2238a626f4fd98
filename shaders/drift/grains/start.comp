#version 460
#include "stage.glsl"
#include "drift/grains/column.glsl"

#pragma writes wind
#pragma arguments u_star

// The logarithmic law in the middle of each level.
void stage(uint level) {
    set_wind(level, arg.u_star / KARMAN * (float(level) + 0.5) * level_height());
}
