#version 460
#include "stage.glsl"

#pragma reads ground.friction ground.shelter
#pragma writes ground.friction
#pragma arguments level_friction
#pragma argument vec2 level_friction

// The friction velocity, m/s, from the change of the stress over that on level ground. Below separated flow there is none, nor
// where the stress would be against the wind.
void stage(ivec2 vertex) {
    vec2 wind = normalize(arg.level_friction), stress = wind + ground_friction(vertex);
    bool attached = ground_shelter(vertex) == 0.0 && dot(stress, wind) > 0.0;
    set_ground_friction(vertex, attached ? length(arg.level_friction) * inversesqrt(length(stress)) * stress : vec2(0.0));
}
