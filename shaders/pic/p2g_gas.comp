#version 460
#include "stage.glsl"
#include "pic/p2g.glsl"

#pragma reads matter.position matter.velocity matter.affine matter.heat matter.release
#pragma writes nodes.mass nodes.px nodes.py nodes.pz nodes.heat counters
#pragma arguments transfer gas.cooling
#pragma argument uint units
#pragma reach nodes_heat 2

// Temperature of the particle relative to the hottest gas, 0 to 1. Decays with the time constant arg.cooling (s).
float heat;

void share(ivec3 node, uint mass, ivec3 momentum) {
    add_nodes_mass(node, mass);
    add_nodes_px(node, momentum.x);
    add_nodes_py(node, momentum.y);
    add_nodes_pz(node, momentum.z);
    uint hot = fixed_mass(heat, mass);
    if (hot != 0u) {
        add_nodes_heat(node, hot);
    }
}

void stage(uint particle) {
    float free_for = clock.time - matter_release(particle);
    heat = free_for >= 0.0 ? clamp(matter_heat(particle), 0.0, 1.0) * exp(-free_for / arg.cooling) : 0.0;
    particle_to_grid(particle);
}
