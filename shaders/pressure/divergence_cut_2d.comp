#version 460
#include "stage.glsl"
#include "pressure/through.glsl"

// As divergence_cut.comp, in a plane.
void stage(ivec2 cell) {
    uint word = grid_faces(cell);
    ivec3 at = in_space(cell);
    float flow = through(grid_u(cell + ivec2(1, 0)), at, word, 1) - through(grid_u(cell), at, word, 0)
               + (through(grid_v(cell + ivec2(0, 1)), at, word, 3) - through(grid_v(cell), at, word, 2));
    set_grid_b(cell, -arg.density * grid_dx / clock.dt * flow);
}
