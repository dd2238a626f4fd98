#version 460
#include "stage.glsl"
#include "lib/processor.glsl"
#include "snow/faces.glsl"
#include "snow/wind.glsl"
#include "snow/boundary.glsl"

#pragma reads air.u air.v air.w air.faces wind boundary_faces
#pragma writes air.u_star air.v_star air.w_star
#pragma reach air_u 7
#pragma reach air_v 7
#pragma reach air_w 7

// Semi-Lagrangian advection (Stam 1999): the wind carries itself to each open inner face,
// u*(x) = u(x - dt u(x)), traced back with one Euler step and interpolated linearly in that component's own
// lattice. The other two components at x are means of the four nearest faces. A path that leaves the grid
// ends on the outside layer, which carries the prescribed wind, as does air that is not active. A path is cut at
// LONGEST cells along each axis, so that its end is known to be near. All other faces get the wind of the boundary.
const float LONGEST = 6.0;

// The start of a path that ends at `here`, in cells.
vec3 before(vec3 here, vec3 path) {
    return here - clamp(path, vec3(-LONGEST), vec3(LONGEST));
}

// The wind at the lower faces of a cell after the step.
vec3 advected(ivec3 cell) {
    const ivec3 x = ivec3(1, 0, 0), y = ivec3(0, 1, 0), z = ivec3(0, 0, 1);
    float cells_per_speed = clock.dt / air_dx;  // s/m
    vec3 here = vec3(cell);
    // All three components are advected before anything is asked or stored, so that their loads overlap, and faces that
    // several paths need are loaded once.
    vec3 along_u = vec3(wind_u(cell),
            0.25 * (wind_v(cell - x) + wind_v(cell) + wind_v(cell - x + y) + wind_v(cell + y)),
            0.25 * (wind_w(cell - x) + wind_w(cell) + wind_w(cell - x + z) + wind_w(cell + z)));
    vec3 along_v = vec3(0.25 * (wind_u(cell - y) + wind_u(cell) + wind_u(cell - y + x) + wind_u(cell + x)),
            wind_v(cell),
            0.25 * (wind_w(cell - y) + wind_w(cell) + wind_w(cell - y + z) + wind_w(cell + z)));
    vec3 along_w = vec3(0.25 * (wind_u(cell - z) + wind_u(cell) + wind_u(cell - z + x) + wind_u(cell + x)),
            0.25 * (wind_v(cell - z) + wind_v(cell) + wind_v(cell - z + y) + wind_v(cell + y)),
            wind_w(cell));
    return vec3(sample_u(before(here, cells_per_speed * along_u)),
            sample_v(before(here, cells_per_speed * along_v)),
            sample_w(before(here, cells_per_speed * along_w)));
}

void stage(ivec3 cell) {
    uint faces = air_faces(cell);
    vec3 prescribed = wind(0u);
    vec3 star = boundary_wind(faces, prescribed, boundary_faces(0u));
    calm = vec3(prescribed.xy, 0.0);
    uvec3 open = faces & uvec3(OPEN_WEST, OPEN_SOUTH, OPEN_BELOW);
    if (!ON_PROCESSOR || open != uvec3(0u)) {
        star = mix(star, advected(cell), notEqual(open, uvec3(0u)));
    }
    set_air_u_star(cell, star.x);
    set_air_v_star(cell, star.y);
    set_air_w_star(cell, star.z);
}
