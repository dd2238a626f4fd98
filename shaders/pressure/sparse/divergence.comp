#version 460
#include "stage.glsl"

#pragma reads grid.u grid.v grid.w
#pragma writes grid.b
#pragma arguments density
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

// The right side of the pressure equation as in pressure/divergence.comp, from velocities on the low faces of cells. The faces
// beyond the last cells, which no cell keeps, are walls at rest.
void stage(ivec3 cell) {
    ivec3 next = min(cell + 1, grid_cells - 1);
    vec3 low = vec3(grid_u(cell), grid_v(cell), grid_w(cell));
    vec3 high = vec3(grid_u(ivec3(next.x, cell.yz)), grid_v(ivec3(cell.x, next.y, cell.z)), grid_w(ivec3(cell.xy, next.z)));
    vec3 flow = mix(high, vec3(0.0), equal(next, cell)) - low;
    set_grid_b(cell, -arg.density * grid_dx / clock.dt * (flow.x + flow.y + flow.z));
}
