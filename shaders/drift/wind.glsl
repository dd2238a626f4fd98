// The wind in the middle of a cell, m/s. The stage reads grid.u, grid.v and grid.w.
vec3 wind(ivec3 cell) {
    return 0.5 * vec3(grid_u(cell) + grid_u(cell + ivec3(1, 0, 0)), grid_v(cell) + grid_v(cell + ivec3(0, 1, 0)),
                      grid_w(cell) + grid_w(cell + ivec3(0, 0, 1)));
}
