#version 460
#include "stage.glsl"
#include "lib/fixed_point.glsl"
#include "mpm/colliders.glsl"
#include "mpm/ground.glsl"

#pragma reads nodes.mass nodes.px nodes.py nodes.pz colliders ground.elevation ground.snow
#pragma writes nodes.velocity counters
#pragma arguments quanta limit gravity
#pragma adds counters
#pragma whole

// Momentum to velocity, gravity, and contact with solids and the ground. Nodes without mass are at rest.
// counters(1) counts nodes whose momentum may have left its range.
void stage(ivec3 node) {
    uint mass = nodes_mass(node);
    vec3 velocity = vec3(0.0);
    if (mass != 0u) {
        ivec3 momentum = ivec3(nodes_px(node), nodes_py(node), nodes_pz(node));
        vec3 place = nodes_position(node);
        velocity = fixed_velocity(momentum, mass, arg.quanta) + clock.dt * arg.gravity;
        velocity = beside_ground(place, beside_colliders(place, velocity));
        if (fixed_overflows(mass, arg.limit, arg.quanta)) {
            add_counters(1u, 1u);
        }
    }
    set_nodes_velocity(node, velocity);
}
