#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "render/noise.glsl"

#pragma reads matter.position
#pragma writes matter.heat matter.release
#pragma arguments gas

// Heat of gas about arg.middle, which falls to 0 at arg.radius (m), more here and less there by a noise of arg.grain (m)
// whose share is arg.uneven; beyond, matter is cold debris. All of it is released at arg.release (s).
void stage(uint particle) {
    vec3 place = matter_position(particle);
    vec3 from = (place - arg.middle) / arg.radius;
    float noise = fractal_noise(place, arg.grain, 0.0, 3, 0.5, clock.seed).x;
    float even = max(1.0 - dot(from, from), 0.0);
    set_matter_heat(particle, clamp(even * mix(1.0, smoothstep(0.3, 0.7, noise), arg.uneven), 0.0, 1.0));
    set_matter_release(particle, arg.release);
}
