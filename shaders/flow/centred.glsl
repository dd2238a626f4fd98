// The velocity in the middle of a cell, m/s: the mean of its faces.
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

vec3 flow_in(ivec3 cell) {
    return 0.5 * vec3(grid_u(cell) + grid_u(cell + ivec3(1, 0, 0)), grid_v(cell) + grid_v(cell + ivec3(0, 1, 0)),
                      grid_w(cell) + grid_w(cell + ivec3(0, 0, 1)));
}
