#version 460
#include "stage.glsl"
#include "pressure/faces.glsl"
#include "flow/motion.glsl"

// The right side of the pressure equation with solids that cut cells: through the open part c of a face flows the fluid, through
// the rest of it the solid, as much as its surface in the cell pushes away. b = -(rho h / dt) times the sum of
// c u + (1 - c) u_solid (Batty, Bertails & Bridson 2007, section 3). Sides of the domain carry their own velocity.

float through(float u, ivec3 cell, uint word, int face) {
    int axis = face / 2, way = face & 1;
    float c = part(part_of(word, face));
    if (c == 1.0 || cell[axis] == (way == 0 ? 0 : grid_cells[axis] - 1)) {
        return u;
    }
    vec3 place = grid_origin + (vec3(cell) + 0.5) * grid_dx;
    place[axis] += (float(way) - 0.5) * grid_dx;
    return c * u + (1.0 - c) * velocity_of_body(place, clock.time + clock.dt)[axis];
}

void stage(ivec3 cell) {
    uint word = grid_faces(cell);
    float flow = through(grid_u(cell + ivec3(1, 0, 0)), cell, word, 1) - through(grid_u(cell), cell, word, 0)
               + (through(grid_v(cell + ivec3(0, 1, 0)), cell, word, 3) - through(grid_v(cell), cell, word, 2))
               + (through(grid_w(cell + ivec3(0, 0, 1)), cell, word, 5) - through(grid_w(cell), cell, word, 4));
    set_grid_b(cell, -arg.density * grid_dx / clock.dt * flow);
}
