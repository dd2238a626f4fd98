// The flux per area through a face that a solid cuts, m/s: the fluid through its open part c, and the solid's displacement
// through the rest: c u + (1 - c) u_solid (Batty, Bertails & Bridson 2007, section 3). Closed sides of the
// domain store their flux. The stage has the arguments of sides.glsl and motion.glsl.
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"
#include "pressure/sides.glsl"
#include "flow/motion.glsl"

float through(float u, ivec3 cell, uint word, int face) {
    int axis = face / 2, way = face & 1;
    float c = part(part_of(word, face));
    bool at_side = arg.low[axis] != PERIODIC_SIDE && cell[axis] == (way == 0 ? 0 : grid_cells[axis] - 1);
    if (c == 1.0 || c == 0.0 && at_side) {
        return u;
    }
    vec3 place = in_space(grid_origin) + (vec3(cell) + 0.5) * grid_dx;
    place[axis] += (float(way) - 0.5) * grid_dx;
    return c * u + (1.0 - c) * velocity_of_body(place, clock.time + clock.dt)[axis];
}
