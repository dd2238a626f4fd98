#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/face_moves.glsl"

#pragma reads grid.curl_xy grid.curl_z_size grid.heat grid.density grid.faces grid.plain grid.u grid.v grid.w
#pragma writes grid.u grid.v grid.w
#pragma arguments lift weight confinement
#pragma reach grid_curl_xy 1
#pragma reach grid_curl_z_size 2
#pragma reach grid_heat 1
#pragma reach grid_density 1
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

// The force on smoke, m/s^2: buoyancy of heat, weight, and vorticity confinement, which restores eddies that the grid
// damps (Fedkiw, Stam & Jensen 2001, "Visual simulation of smoke": buoyancy, and vorticity confinement
// epsilon h (N x vorticity), where N points to the middle of an eddy). The force in the cells beside a face accelerates it.
float strength(int x, int y, int z) {
    return unpackHalf2x16(grid_curl_z_size(ivec3(x, y, z))).y;
}

vec3 towards(ivec3 cell) {
    ivec3 low = max(cell - 1, 0), high = min(cell + 1, grid_cells - 1);
    vec3 rise = vec3(strength(high.x, cell.y, cell.z) - strength(low.x, cell.y, cell.z),
                     strength(cell.x, high.y, cell.z) - strength(cell.x, low.y, cell.z),
                     strength(cell.x, cell.y, high.z) - strength(cell.x, cell.y, low.z));
    return arg.confinement * grid_dx / (length(rise) + 1e-6) * rise;
}

vec3 curl_of(ivec3 cell) {
    return vec3(unpackHalf2x16(grid_curl_xy(cell)), unpackHalf2x16(grid_curl_z_size(cell)).x);
}

float rise(ivec3 cell) {
    return arg.lift * grid_heat(cell) - arg.weight * grid_density(cell);
}

void stage(ivec3 cell) {
    uint marks = marks_of(cell);
    ivec3 west = max(cell - ivec3(1, 0, 0), 0), south = max(cell - ivec3(0, 1, 0), 0), below = max(cell - ivec3(0, 0, 1), 0);
    // The force in the cell, and one component of it in the cell before along each axis. All loads come before the first store.
    vec3 force = cross(towards(cell), curl_of(cell)) + vec3(0.0, 0.0, rise(cell));
    float x = cross(towards(west), curl_of(west)).x, y = cross(towards(south), curl_of(south)).y;
    float z = cross(towards(below), curl_of(below)).z + rise(below);
    float u = grid_u(cell), v = grid_v(cell), w = grid_w(cell);
    float half_step = 0.5 * clock.dt;
#define ACCELERATE(AXIS, C, BEFORE) \
    if (face_moves(cell, cell, AXIS, marks)) { \
        set_grid_##C(cell, C + half_step * (BEFORE + force[AXIS])); \
    } \
    if (cell[AXIS] == grid_cells[AXIS] - 1) { \
        ivec3 high = cell; \
        high[AXIS] += 1; \
        if (face_moves(high, cell, AXIS, marks)) { \
            set_grid_##C(high, grid_##C(high) + clock.dt * force[AXIS]); \
        } \
    }
    ACCELERATE(0, u, x)
    ACCELERATE(1, v, y)
    ACCELERATE(2, w, z)
}
