#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "stage.glsl"
#include "mpm/lame.glsl"

#pragma reads matter.velocity matter.volume
#pragma writes fastest
#pragma arguments density young poisson hardening hardest

// Maximum over all particles of speed plus speed of sound (m/s), sqrt((lambda + 2 mu) / rho) with the hardening of
// mpm/snow.glsl. The bits of non-negative floats, as integers, are in the order of the floats.
void stage(uint particle) {
    vec3 velocity = matter_velocity(particle);
    vec2 stiff = lame(arg.young, arg.poisson, arg.density);
    float hard = min(exp(arg.hardening * (1.0 - matter_volume(particle))), arg.hardest);
    float speed = sqrt(dot(velocity, velocity)) + sqrt(hard * (2.0 * stiff.x + stiff.y));
    float greatest = subgroupMax(speed);
    if (subgroupElect()) {
        max_fastest(0u, floatBitsToUint(greatest));
    }
}
