#version 460
#include "stage.glsl"
#include "flip/flow.glsl"

vec3 before_at(vec3 place) {
    return vec3(sample_grid_u_before(place), sample_grid_v_before(place), sample_grid_w_before(place));
}

#include "flip/taken.glsl"
#include "flip/g2p.glsl"
