#version 460
#include "stage.glsl"

#pragma writes nodes.mass nodes.px nodes.py nodes.pz
#pragma whole

// Clears mass and momentum of nodes, before particles are summed.
void stage(ivec3 node) {
    set_nodes_mass(node, 0u);
    set_nodes_px(node, 0);
    set_nodes_py(node, 0);
    set_nodes_pz(node, 0);
}
