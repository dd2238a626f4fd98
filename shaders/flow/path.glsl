// Paths of the flow over a time step, for stages that read grid.flow_x, grid.flow_y and grid.flow_z (trace_flow.comp). A value
// between two cells goes along the mean of their paths. Places are in cells from the value with index 0.
#include "flow/samples.glsl"
#include "flow/farthest.glsl"

#pragma reach grid_flow_x 1
#pragma reach grid_flow_y 1
#pragma reach grid_flow_z 1

// The cells on both sides of a value; twice the same at centres and at sides of the domain.
ivec3 cell_below(ivec3 i, int axis) {
    return max(i - ivec3(axis == 0, axis == 1, axis == 2), ivec3(0));
}

ivec3 cell_above(ivec3 i) {
    return min(i, grid_cells - 1);
}

vec3 traced_flow(ivec3 cell) {
    return vec3(grid_flow_x(cell), grid_flow_y(cell), grid_flow_z(cell));
}

// The mean velocity on the way to a value, m/s.
vec3 flow_back(ivec3 i, int axis) {
    vec3 above = traced_flow(cell_above(i));
    return axis < 0 ? above : 0.5 * (traced_flow(cell_below(i, axis)) + above);
}
