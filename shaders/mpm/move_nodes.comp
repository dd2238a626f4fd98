#version 460
#include "stage.glsl"
#include "lib/fixed_point.glsl"
#include "mpm/colliders.glsl"
#include "mpm/ground.glsl"
#include "lib/rows.glsl"

#pragma reads nodes.mass nodes.px nodes.py nodes.pz nodes.velocity colliders ground.elevation ground.snow
#pragma writes nodes.velocity counters
#pragma arguments quanta limit gravity
#pragma adds counters
#pragma whole
#pragma vector_width 4

DEFINE_ROW(mass_row, uvec4, nodes_mass)
DEFINE_ROW(px_row, ivec4, nodes_px)
DEFINE_ROW(py_row, ivec4, nodes_py)
DEFINE_ROW(pz_row, ivec4, nodes_pz)

// Momentum to velocity, gravity, and contact with solids and the ground. Nodes without mass are at rest.
// counters(1) counts nodes whose momentum may have left its range.
void stage(ivec3 first) {
    uvec4 masses = mass_row(first);
    if (masses == uvec4(0u)) {
        return;
    }
    ivec4 px = px_row(first), py = py_row(first), pz = pz_row(first);
    for (int k = 0; k < stage_width; k++) {
        uint mass = masses[k];
        if (mass != 0u) {
            ivec3 node = first + ivec3(k, 0, 0);
            vec3 place = nodes_position(node);
            vec3 velocity = fixed_velocity(ivec3(px[k], py[k], pz[k]), mass, arg.quanta) + clock.dt * arg.gravity;
            velocity = beside_ground(place, beside_colliders(place, velocity));
            if (fixed_overflows(mass, arg.limit, arg.quanta)) {
                add_counters(1u, 1u);
            }
            set_nodes_velocity(node, vec4(velocity, 0.0));
        }
    }
}
