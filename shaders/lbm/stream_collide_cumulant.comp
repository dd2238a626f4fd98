#version 460
#include "stage.glsl"
#include "lbm/populations.glsl"
#define CUMULANT

// The name of the only lattice that has all the moments; that of another is unknown, and the compiler says so.
const int cumulants_need_27_populations_not_27u = 27;
const int LATTICE = PASTE_EXPANDED(cumulants_need_27_populations_not_, grid_f_entries);

vec3 acceleration(ivec3 cell) {
    return arg.acceleration;
}

#include "lbm/stream_collide.glsl"
