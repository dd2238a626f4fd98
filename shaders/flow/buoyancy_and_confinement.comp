#version 460
#include "stage.glsl"

#pragma reads grid.curl grid.heat grid.density
#pragma writes grid.force
#pragma arguments lift weight confinement
#pragma reach grid_curl 1

// The force on smoke, m/s^2: buoyancy of heat, weight, and vorticity confinement, which restores eddies that the grid
// damps (Fedkiw, Stam & Jensen 2001, "Visual simulation of smoke": buoyancy, and vorticity confinement
// epsilon h (N x vorticity), where N points to the middle of an eddy).
float strength(ivec3 cell) {
    return length(grid_curl(clamp(cell, ivec3(0), grid_cells - 1)));
}

void stage(ivec3 cell) {
    vec3 rise = vec3(strength(cell + ivec3(1, 0, 0)) - strength(cell - ivec3(1, 0, 0)),
                     strength(cell + ivec3(0, 1, 0)) - strength(cell - ivec3(0, 1, 0)),
                     strength(cell + ivec3(0, 0, 1)) - strength(cell - ivec3(0, 0, 1)));
    vec3 towards = rise / (length(rise) + 1e-6);
    vec3 force = arg.confinement * grid_dx * cross(towards, grid_curl(cell));
    force.z += arg.lift * grid_heat(cell) - arg.weight * grid_density(cell);
    set_grid_force(cell, force);
}
