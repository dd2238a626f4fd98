#version 460
#include "stage.glsl"
#include "lib/fixed_point.glsl"

// Per entry (velocity, weight): mass and momentum of a share, and its velocity from them.
void stage(uint i) {
    vec4 given = entries(i);
    uint mass = fixed_mass(given.w, arg.units);
    ivec3 momentum = fixed_momentum(mass, given.xyz, arg.quanta);
    set_counted(i, ivec4(momentum, int(mass)));
    set_velocities(i, fixed_velocity(momentum, mass, arg.quanta));
    uint signs = fixed_clamps(given.xyz, arg.limit) ? 1u : 0u;
    set_signs(i, signs | (fixed_overflows(mass, arg.limit, arg.quanta) ? 2u : 0u));
}
