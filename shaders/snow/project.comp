#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

#pragma reads air.u_star air.v_star air.w_star air.pressure air.faces
#pragma writes air.u air.v air.w
#pragma reach air_pressure 1

// u = u* - dt grad p on open inner faces. Closed faces are 0, boundary and outside faces keep the prescribed
// wind. With L the stencil of sor.comp, div(u) = dt (b - L p) in every fluid cell after any number of sweeps.
void stage(ivec3 cell) {
    uint faces = air_faces(cell);
    vec3 star = vec3(air_u_star(cell), air_v_star(cell), air_w_star(cell));
    float scale = clock.dt / air_dx;  // s/m
    vec3 drop = vec3(0.0);            // pressure difference across each open lower face, m^2/s^2
    if (all(greaterThan(cell, ivec3(0)))) {
        float p = air_pressure(cell);
        drop.x = p - air_pressure(cell - ivec3(1, 0, 0));
        drop.y = p - air_pressure(cell - ivec3(0, 1, 0));
        drop.z = p - air_pressure(cell - ivec3(0, 0, 1));
    }
    drop.x = (faces & OPEN_WEST) != 0u ? drop.x : 0.0;
    drop.y = (faces & OPEN_SOUTH) != 0u ? drop.y : 0.0;
    drop.z = (faces & OPEN_BELOW) != 0u ? drop.z : 0.0;
    set_air_u(cell, (faces & CLOSED_U) != 0u ? 0.0 : star.x - scale * drop.x);
    set_air_v(cell, (faces & CLOSED_V) != 0u ? 0.0 : star.y - scale * drop.y);
    set_air_w(cell, (faces & CLOSED_W) != 0u ? 0.0 : star.z - scale * drop.z);
}
