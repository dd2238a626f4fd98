#version 460
#include "stage.glsl"
#include "lbm/cells.glsl"

// Boussinesq's buoyancy: arg.lift is minus gravity times the thermal expansion, in cells a step squared and kelvin.
vec3 acceleration(ivec3 cell) {
    return arg.acceleration + arg.lift * (grid_heat(AT(cell)) - arg.neutral);
}

#include "lbm/stream_collide.glsl"
