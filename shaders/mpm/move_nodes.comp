#version 460
#include "stage.glsl"
#include "lib/fixed_point.glsl"
#include "mpm/colliders.glsl"

// Momentum to velocity, gravity, and what solids allow. Nodes without mass rest.
// ledger(1) counts nodes whose momentum may have left its range.
void stage(ivec3 node) {
    uint mass = nodes_mass(node);
    vec3 velocity = vec3(0.0);
    if (mass != 0u) {
        ivec3 momentum = ivec3(nodes_px(node), nodes_py(node), nodes_pz(node));
        velocity = fixed_velocity(momentum, mass, arg.quanta) + clock.dt * arg.gravity;
        velocity = beside_colliders(nodes_position(node), velocity);
        if (fixed_overflows(mass, arg.limit, arg.quanta)) {
            add_ledger(1u, 1u);
        }
    }
    set_nodes_velocity(node, velocity);
}
