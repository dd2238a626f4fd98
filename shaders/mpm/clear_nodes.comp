#version 460
#include "stage.glsl"
#include "lib/rows.glsl"

#pragma reads nodes.mass
#pragma writes nodes.mass nodes.px nodes.py nodes.pz nodes.velocity
#pragma vector_width 4
#pragma whole

DEFINE_ROW(mass_row, uvec4, nodes_mass)
DEFINE_SET_ROW(set_mass_row, uvec4, nodes_mass)
DEFINE_SET_ROW(set_px_row, ivec4, nodes_px)
DEFINE_SET_ROW(set_py_row, ivec4, nodes_py)
DEFINE_SET_ROW(set_pz_row, ivec4, nodes_pz)

// Clears mass, momentum and velocity of the nodes that have mass, before particles are summed. Others have none of them.
void stage(ivec3 node) {
    if (mass_row(node) == uvec4(0u)) {
        return;
    }
    set_mass_row(node, uvec4(0u));
    set_px_row(node, ivec4(0));
    set_py_row(node, ivec4(0));
    set_pz_row(node, ivec4(0));
    for (int k = 0; k < stage_width; k++) {
        set_nodes_velocity(node + ivec3(k, 0, 0), vec4(0.0));
    }
}
