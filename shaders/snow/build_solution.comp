#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

#pragma reads air.u_star air.v_star air.w_star air.open air.pressure total_pressure fluid_cells
#pragma writes air.solution air.pressure
#pragma arguments wind.warm_start
#pragma reach air_u_star 1
#pragma reach air_v_star 1
#pragma reach air_w_star 1

// The right side of the pressure equation, b = div(u*) / dt in 1/s^2 (air of density 1: pressure in m^2/s^2),
// and the first guess: with arg.warm_start the pressure of the last step minus its mean, since only differences of
// pressure mean anything and a drifting mean would eat the float's digits; else 0. Solid and outside cells
// hold 0.
void stage(ivec3 cell) {
    if ((air_open(cell) & FLUID) == 0u) {
        set_air_solution(cell, 0.0);
        set_air_pressure(cell, 0.0);
        return;
    }
    float across_x = air_u_star(cell + ivec3(1, 0, 0)) - air_u_star(cell);
    float across_y = air_v_star(cell + ivec3(0, 1, 0)) - air_v_star(cell);
    float across_z = air_w_star(cell + ivec3(0, 0, 1)) - air_w_star(cell);
    set_air_solution(cell, (across_x + across_y + across_z) / (air_dx * clock.dt));
    set_air_pressure(cell, arg.warm_start != 0.0 ? air_pressure(cell) - mean_pressure(total_pressure(0u), fluid_cells(0u)) : 0.0);
}
