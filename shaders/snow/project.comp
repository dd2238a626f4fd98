#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

// u = u* - dt grad p on open inner faces. Closed faces are 0, boundary and outside faces keep the prescribed
// wind. With L the stencil of sor.comp, div(u) = dt (b - L p) in every fluid cell after any number of sweeps.
void stage(ivec3 cell) {
    uint bits = air_obstacle(cell);
    bool inner = interior(cell);
    float scale = clock.dt / air_dx;  // s/m
    vec3 gradient = vec3(0.0);        // pressure difference across each lower face, m^2/s^2
    if (inner) {
        float p = air_pressure(cell);
        gradient.x = cell.x > 1 ? p - air_pressure(cell - ivec3(1, 0, 0)) : 0.0;
        gradient.y = cell.y > 1 ? p - air_pressure(cell - ivec3(0, 1, 0)) : 0.0;
        gradient.z = cell.z > 1 ? p - air_pressure(cell - ivec3(0, 0, 1)) : 0.0;
    }
    set_air_u(cell, (bits & CLOSED_U) != 0u ? 0.0 : air_u_star(cell) - scale * gradient.x);
    set_air_v(cell, (bits & CLOSED_V) != 0u ? 0.0 : air_v_star(cell) - scale * gradient.y);
    set_air_w(cell, (bits & CLOSED_W) != 0u ? 0.0 : air_w_star(cell) - scale * gradient.z);
}
