#version 460
#include "stage.glsl"
#include "flow/motion.glsl"

// The body at the end of the step, at the corners of cells: positive outside, 0 at its surface. `body.shape` is 1 in the body.
void stage(ivec3 node) {
    set_grid_solid(node, 0.5 - sample_body_shape(on_body(grid_solid_position(node), clock.time + clock.dt)));
}
