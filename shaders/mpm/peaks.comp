#version 460
#include "stage.glsl"

#pragma reads nodes.mass nodes.px nodes.py nodes.pz map.depth map.speed map.pressure
#pragma writes map.depth map.speed map.pressure
#pragma arguments units quanta density volume min_depth
#pragma argument uint units

// The peaks so far of the flow in a column of nodes: its depth, as if it had the volume of its particles (m); the speed of
// its mass (m/s); and the pressure density * speed^2 (Pa), which services derive from this speed. Sums of floats in one
// order, from below.
void stage(ivec2 column) {
    float mass = 0.0;
    vec3 momentum = vec3(0.0);
    for (int z = 0; z < nodes_cells.z; z++) {
        ivec3 node = ivec3(column, z);
        mass += float(nodes_mass(node));
        momentum += vec3(nodes_px(node), nodes_py(node), nodes_pz(node));
    }
    float depth = mass / float(arg.units) * arg.volume / (map_dx * map_dx);
    float speed = depth < arg.min_depth || mass == 0.0 ? 0.0 : length(momentum) / (mass * arg.quanta);
    set_map_depth(column, max(map_depth(column), depth));
    set_map_speed(column, max(map_speed(column), speed));
    set_map_pressure(column, max(map_pressure(column), arg.density * speed * speed));
}
