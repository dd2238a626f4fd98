#version 460
#include "stage.glsl"
#include "lib/lattice.glsl"
#include "snow/faces.glsl"

DEFINE_TRILINEAR(sample_u, air_u, air_cells)
DEFINE_TRILINEAR(sample_v, air_v, air_cells)
DEFINE_TRILINEAR(sample_w, air_w, air_cells)

// Semi-Lagrangian advection (Stam 1999): the wind on a face is what the wind itself brings there,
// u*(x) = u(x - dt u(x)), traced back with one Euler step and interpolated linearly in that component's own
// lattice. The other two components at x are means of the four nearest faces. A path that leaves the grid
// ends on the outside layer, which carries the prescribed wind.
//
// Only open inner faces: wall_boundaries writes all others.
void stage(ivec3 cell) {
    uint faces = air_faces(cell);
    const ivec3 x = ivec3(1, 0, 0), y = ivec3(0, 1, 0), z = ivec3(0, 0, 1);
    float cells_per_speed = clock.dt / air_dx;  // s/m
    vec3 here = vec3(cell);
    if ((faces & OPEN_WEST) != 0u) {
        vec3 velocity = vec3(air_u(cell),
                0.25 * (air_v(cell - x) + air_v(cell) + air_v(cell - x + y) + air_v(cell + y)),
                0.25 * (air_w(cell - x) + air_w(cell) + air_w(cell - x + z) + air_w(cell + z)));
        set_air_u_star(cell, sample_u(here - cells_per_speed * velocity));
    }
    if ((faces & OPEN_SOUTH) != 0u) {
        vec3 velocity = vec3(
                0.25 * (air_u(cell - y) + air_u(cell) + air_u(cell - y + x) + air_u(cell + x)),
                air_v(cell),
                0.25 * (air_w(cell - y) + air_w(cell) + air_w(cell - y + z) + air_w(cell + z)));
        set_air_v_star(cell, sample_v(here - cells_per_speed * velocity));
    }
    if ((faces & OPEN_BELOW) != 0u) {
        vec3 velocity = vec3(
                0.25 * (air_u(cell - z) + air_u(cell) + air_u(cell - z + x) + air_u(cell + x)),
                0.25 * (air_v(cell - z) + air_v(cell) + air_v(cell - z + y) + air_v(cell + y)),
                air_w(cell));
        set_air_w_star(cell, sample_w(here - cells_per_speed * velocity));
    }
}
