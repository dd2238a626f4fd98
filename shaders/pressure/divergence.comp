#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.u grid.v grid.w grid.faces grid.solid
#pragma writes grid.b
#pragma arguments density
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

// The right-hand side of the pressure equation, b = -(rho h / dt) (outflow of the cell through its faces, m/s), in Pa:
// Bridson 2015, "Fluid simulation for computer graphics", section 5.3. Closed faces carry the velocity of the solid.

#if HAS_grid_solid
#include "pressure/through.glsl"
#else
float through(float u, ivec3 cell, uint word, int face) {
    return u;
}
#endif

STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    float flow = through(grid_u(AT(cell + ivec3(1, 0, 0))), cell, word, 1) - through(grid_u(AT(cell)), cell, word, 0)
               + (through(grid_v(AT(cell + ivec3(0, 1, 0))), cell, word, 3) - through(grid_v(AT(cell)), cell, word, 2));
#if HAS_grid_w
    flow += through(grid_w(AT(cell + ivec3(0, 0, 1))), cell, word, 5) - through(grid_w(AT(cell)), cell, word, 4);
#endif
    set_grid_b(AT(cell), -arg.density * grid_dx / clock.dt * flow);
}
