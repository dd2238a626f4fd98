#version 460
#include "stage.glsl"
#include "pressure/through.glsl"

// The right side of the pressure equation with solids that cut cells: b = -(rho h / dt) times the sum of what flows through the faces.
void stage(ivec3 cell) {
    uint word = grid_faces(cell);
    float flow = through(grid_u(cell + ivec3(1, 0, 0)), cell, word, 1) - through(grid_u(cell), cell, word, 0)
               + (through(grid_v(cell + ivec3(0, 1, 0)), cell, word, 3) - through(grid_v(cell), cell, word, 2))
               + (through(grid_w(cell + ivec3(0, 0, 1)), cell, word, 5) - through(grid_w(cell), cell, word, 4));
    set_grid_b(cell, -arg.density * grid_dx / clock.dt * flow);
}
