#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "render/noise.glsl"

#pragma reads matter.position
#pragma writes matter.release
#pragma arguments loose

// The time of release of a particle (s): arg.first where its position along arg.along is arg.from, arg.lasts later
// where it is arg.to, and later or earlier by up to half of arg.ragged, by a noise whose longest wave is arg.grain (m).
void stage(uint particle) {
    vec3 place = matter_position(particle);
    float at = (dot(place, arg.along) - arg.from) / (arg.to - arg.from);
    float noise = fractal_noise(place, arg.grain, 0.0, 4, 0.5, clock.seed).x - 0.5;
    set_matter_release(particle, max(arg.first + arg.lasts * at + arg.ragged * noise, 0.0));
}
