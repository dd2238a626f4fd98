#version 460
#include "stage.glsl"
#include "lib/bspline.glsl"
#include "mesh/shares.glsl"

#pragma reads matter.position
#pragma writes grid.shares

// The shares of a particle in the 27 cells around it. Parts beyond the sides of the grid are lost.
void stage(uint i) {
    vec3 at = grid_coordinates(matter_position(i));
    if (!all(greaterThan(at, vec3(-1.0))) || !all(lessThan(at, vec3(grid_cells) + 1.0))) {
        return;
    }
    Spline s = spline_at(at);
    for (int k = 0; k < 27; k++) {
        ivec3 n = ivec3(k % 3, k / 3 % 3, k / 9), cell = s.base + n;
        if (all(greaterThanEqual(cell, ivec3(0))) && all(lessThan(cell, grid_cells))) {
            add_grid_shares(cell, uint(spline_weight(s, n) * SHARES + 0.5));
        }
    }
}
