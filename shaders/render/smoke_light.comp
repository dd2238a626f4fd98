#version 460
#include "stage.glsl"
#include "render/smoke_box.glsl"

#pragma reads grid.density blocks.occupied body.shape
#pragma writes grid.light
#pragma arguments sun smoke.extinction

// The share of sunlight that reaches each cell through the smoke: single scattering of rays that march towards the sun
// (Kajiya & Von Herzen 1984, "Ray tracing volume densities"). 0 in blocks without smoke, where nothing reads it.
void stage(ivec3 cell) {
    bool smoky = blocks_occupied(cell / BLOCK) != 0u;
    set_grid_light(cell, !smoky ? 0.0 : sun_passed(grid_position(cell), normalize(arg.sun), arg.extinction, grid_dx));
}
