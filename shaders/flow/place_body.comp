#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "flow/motion.glsl"

#pragma reads body.shape
#pragma writes grid.solid

// The body at the end of the step, at the corners of cells: positive outside, 0 at its surface. `body.shape` is 1 in the body.
STAGE_IN_SPACE {
    vec3 place = on_body(in_space(grid_solid_position(AT(cell))), clock.time + clock.dt);
    set_grid_solid(AT(cell), 0.5 - sample_body_shape(in_lattice(place, grid_spacing)));
}
