#version 460
#include "stage.glsl"
#include "spectral/velocity_in_space.glsl"

#pragma reads waves.u waves.v waves.w
#pragma writes waves.x waves.y waves.z

// Vorticity in the spectrum, i k x U.
void stage(ivec3 wave) {
    vec3 k = vec3(numbers_of(wave));
    vec2 u = waves_u(wave), v = waves_v(wave), w = waves_w(wave);
    set_waves_x(wave, turned(k.y * w - k.z * v));
    set_waves_y(wave, turned(k.z * u - k.x * w));
    set_waves_z(wave, turned(k.x * v - k.y * u));
}
