#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "render/noise.glsl"

#pragma reads grid.density grid.heat grid.cell_type
#pragma writes grid.density grid.heat
#pragma arguments source

// A hot source: inside a ball, smoke and heat reach their values at arg.rate (1/s), in puffs that wander. Everywhere smoke
// thins and heat cools.
void stage(ivec3 cell) {
    vec3 place = grid_position(cell);
    float inside = smoothstep(1.0, 0.6, length(place - arg.source) / arg.radius);
    if (inside > 0.0) {
        float noise = fractal_noise(vec3(place.xy, place.z - 0.6 * clock.time), arg.puffs, 0.5 * grid_dx, 3, 0.5, 5u).x;
        inside *= clamp(0.55 + 0.9 * noise, 0.0, 1.0);
    }
    float part = 1.0 - exp(-clock.dt * arg.rate * inside);
    float density = grid_density(cell) * exp(-clock.dt * arg.thinning), heat = grid_heat(cell) * exp(-clock.dt * arg.cooling);
    bool solid = grid_cell_type(cell) == 2u;
    set_grid_density(cell, solid ? 0.0 : density + part * max(1.0 - density, 0.0));
    set_grid_heat(cell, solid ? 0.0 : heat + part * max(1.0 - heat, 0.0));
}
