#version 460
#include "stage.glsl"
#include "lib/fixed_point.glsl"
#include "mpm/colliders.glsl"
#include "pic/pressure.glsl"
#include "pic/turbulence.glsl"

#pragma reads nodes.mass nodes.px nodes.py nodes.pz modes colliders
#pragma writes nodes.before nodes.velocity counters
#pragma arguments transfer gravity wind.mean dust
#pragma adds counters
#pragma reach nodes_mass 1

vec2 load_and_mass(ivec3 node) {
    return vec2(nodes_mass(node));
}

// Momentum to velocity, which is kept (FLIP asks for it); then pressure, gravity, the drag of fine grains in the wind, and
// contact with solids. Stokes drag is (wind - v) / arg.response with the response time in s, implicit in v: in still
// air grains fall at response times gravity. counters(1) counts nodes whose momentum may have overflowed.
void stage(ivec3 node) {
    uint mass = nodes_mass(node);
    vec3 before = vec3(0.0), velocity = vec3(0.0);
    if (mass != 0u) {
        before = fixed_velocity(ivec3(nodes_px(node), nodes_py(node), nodes_pz(node)), mass, arg.quanta);
        vec3 wind = turbulent_wind(nodes_position(node), clock.time, arg.mean);
        float drag = clock.dt / arg.response;
        velocity = before + push_of_pressure(node, arg.sound) + clock.dt * arg.gravity;
        velocity = (velocity + drag * wind) / (1.0 + drag);
        velocity = beside_colliders(nodes_position(node), velocity);
        if (fixed_overflows(mass, arg.limit, arg.quanta)) {
            add_counters(1u, 1u);
        }
    }
    set_nodes_before(node, before);
    set_nodes_velocity(node, velocity);
}
