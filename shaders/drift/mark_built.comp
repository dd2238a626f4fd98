#version 460
#include "stage.glsl"

#pragma reads ground.elevation body.shape
#pragma writes ground.built

// 1 where an obstacle stands: half a cell above bare ground is in it. There is no drifting snow.
void stage(ivec2 column) {
    vec2 place = ground_origin + vec2(column) * ground_spacing;
    float above = ground_elevation(column) + 0.5 * ground_spacing.x;
    set_ground_built(column, uint(sample_body_shape(vec3(place, above)) > 0.5));
}
