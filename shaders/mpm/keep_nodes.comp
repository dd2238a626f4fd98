#version 460
#include "stage.glsl"
#include "lib/fixed_point.glsl"

#pragma reads nodes.mass nodes.px nodes.py nodes.pz
#pragma writes nodes.before
#pragma arguments quanta

// Velocities of nodes before forces act.
void stage(ivec3 node) {
    uint mass = nodes_mass(node);
    ivec3 momentum = ivec3(nodes_px(node), nodes_py(node), nodes_pz(node));
    set_nodes_before(node, mass == 0u ? vec3(0.0) : fixed_velocity(momentum, mass, arg.quanta));
}
