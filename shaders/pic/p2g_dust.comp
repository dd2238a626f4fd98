#version 460
#include "stage.glsl"
#include "pic/p2g.glsl"

#pragma reads matter.position matter.velocity matter.affine
#pragma writes nodes.mass nodes.px nodes.py nodes.pz counters
#pragma arguments transfer
#pragma argument uint units

void share(ivec3 node, uint mass, ivec3 momentum) {
    add_nodes_mass(node, mass);
    add_nodes_px(node, momentum.x);
    add_nodes_py(node, momentum.y);
    add_nodes_pz(node, momentum.z);
}

void stage(uint particle) {
    particle_to_grid(particle);
}
