#version 460
#include "stage.glsl"
#include "lib/lattice.glsl"

DEFINE_TRILINEAR(heat_at, box_heat, box_cells)

void stage(uint i) {
    vec3 at = dots_position(i);
    float heat = heat_at(box_coordinates(at) - 0.5);
    set_dots_position(i, at + vec3(0.0, 0.0, clock.dt * linear(0.0, 1.0, heat)));
}
