#version 460
#include "stage.glsl"
#include "lib/fixed_point.glsl"
#include "pic/pressure.glsl"
#include "mpm/colliders.glsl"

#pragma reads nodes.mass nodes.px nodes.py nodes.pz nodes.heat colliders
#pragma writes nodes.before nodes.velocity counters
#pragma arguments transfer gravity gas.sound debris
#pragma adds counters
#pragma argument uint units
#pragma reach nodes_mass 1
#pragma reach nodes_heat 1

// Hot mass has the pressure of an isothermal gas. Debris has none until it is dense: mass beyond arg.particles_per_cell
// particles per node has the pressure of gas with this speed of sound, so that debris piles up.
vec2 load_and_mass(ivec3 node) {
    uint mass = nodes_mass(node);
    uint free = uint(arg.particles_per_cell * float(arg.units));
    return vec2(float(nodes_heat(node)) + float(mass - min(mass, free)), mass);
}

// Momentum to velocity, which is kept (FLIP needs it); then pressure, gravity, drag, and contact with solids. Drag is that
// of grains in still air at high Reynolds numbers, |v| v / arg.stopping (m), implicit in v with |v| held.
// counters(1) counts nodes whose momentum may have left its range.
void stage(ivec3 node) {
    uint mass = nodes_mass(node);
    vec3 before = vec3(0.0), velocity = vec3(0.0);
    if (mass != 0u) {
        before = fixed_velocity(ivec3(nodes_px(node), nodes_py(node), nodes_pz(node)), mass, arg.quanta);
        velocity = before + push_of_pressure(node, arg.sound) + clock.dt * arg.gravity;
        velocity /= 1.0 + clock.dt * sqrt(dot(velocity, velocity)) / arg.stopping;
        velocity = beside_colliders(nodes_position(node), velocity);
        if (fixed_overflows(mass, arg.limit, arg.quanta)) {
            add_counters(1u, 1u);
        }
    }
    set_nodes_before(node, before);
    set_nodes_velocity(node, velocity);
}
