#version 460
#include "stage.glsl"
#include "lib/processor.glsl"
#include "lib/rows.glsl"
#include "snow/faces.glsl"

#pragma reads air.u_star air.v_star air.w_star air.pressure air.faces
#pragma writes air.u air.v air.w
#pragma reach air_pressure 1
#pragma vector_width 4

DEFINE_ROW(faces_row, uvec4, air_faces)
DEFINE_ROW(u_star_row, vec4, air_u_star)
DEFINE_ROW(v_star_row, vec4, air_v_star)
DEFINE_ROW(w_star_row, vec4, air_w_star)
DEFINE_ROW(pressure_row, vec4, air_pressure)
DEFINE_SET_ROW(set_u_row, vec4, air_u)
DEFINE_SET_ROW(set_v_row, vec4, air_v)
DEFINE_SET_ROW(set_w_row, vec4, air_w)

// The velocities of faces that the difference of pressures across them, m^2/s^2, accelerates where they are open.
vec4 projected(vec4 star, vec4 difference, uvec4 faces, uint open, uint closed) {
    vec4 drop = mix(vec4(0.0), difference, notEqual(faces & open, uvec4(0u)));
    float scale = clock.dt / air_dx;  // s/m
    return mix(star - scale * drop, vec4(0.0), notEqual(faces & closed, uvec4(0u)));
}

// u = u* - dt grad p on open inner faces. Closed faces are 0, boundary and outside faces keep the prescribed
// wind. With L the stencil of sor.comp, div(u) = dt (b - L p) in every fluid cell after any number of sweeps.
void stage(ivec3 cell) {
    uvec4 faces = faces_row(cell);
    vec4 west = vec4(0.0), south = vec4(0.0), below = vec4(0.0);  // differences of pressures
    uint open = (faces.x | faces.y | faces.z | faces.w) & (OPEN_WEST | OPEN_SOUTH | OPEN_BELOW);
    if (!ON_PROCESSOR || open != 0u) {
        ivec3 low = max(cell - 1, ivec3(0));  // faces at the sides are not open
        vec4 p = pressure_row(cell);
        west = p - row_west(p, air_pressure(ivec3(low.x, cell.yz)));
        south = p - pressure_row(ivec3(cell.x, low.y, cell.z));
        below = p - pressure_row(ivec3(cell.xy, low.z));
    }
    vec4 u = u_star_row(cell), v = v_star_row(cell), w = w_star_row(cell);
    set_u_row(cell, projected(u, west, faces, OPEN_WEST, CLOSED_U));
    set_v_row(cell, projected(v, south, faces, OPEN_SOUTH, CLOSED_V));
    set_w_row(cell, projected(w, below, faces, OPEN_BELOW, CLOSED_W));
}
