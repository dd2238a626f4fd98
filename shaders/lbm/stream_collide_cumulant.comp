#version 460
#include "stage.glsl"
#include "lbm/populations.glsl"
#define CUMULANTS_9u 0
#define CUMULANTS_19u 0
#define CUMULANTS_27u 1
#if PASTE_EXPANDED(CUMULANTS_, grid_f_entries)
#define CUMULANT
#else
#error the cumulant collision needs 27 populations of f in space, which module lbm_cumulant has
#endif

vec3 acceleration(ivec3 cell) {
    return arg.acceleration;
}

#include "lbm/stream_collide.glsl"
