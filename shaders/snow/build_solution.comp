#version 460
#include "stage.glsl"
#include "lib/processor.glsl"
#include "lib/rows.glsl"
#include "snow/faces.glsl"

#pragma reads air.u_star air.v_star air.w_star air.open
#pragma writes air.solution air.pressure
#pragma arguments wind.warm_start
#pragma reach air_u_star 1
#pragma reach air_v_star 1
#pragma reach air_w_star 1
#pragma vector_width 4

DEFINE_ROW(open_row, uvec4, air_open)
DEFINE_ROW(u_row, vec4, air_u_star)
DEFINE_ROW(v_row, vec4, air_v_star)
DEFINE_ROW(w_row, vec4, air_w_star)
DEFINE_SET_ROW(set_solution_row, vec4, air_solution)
DEFINE_SET_ROW(set_pressure_row, vec4, air_pressure)

// The right side of the pressure equation, b = div(u*) / dt in 1/s^2 (air of density 1: pressure in m^2/s^2); 0 in
// cells without a pressure. The first guess is the pressure of the last step; without arg.warm_start, 0.
void stage(ivec3 cell) {
    if (arg.warm_start == 0.0) {
        set_pressure_row(cell, vec4(0.0));
    }
    uvec4 open = open_row(cell);
    if (ON_PROCESSOR && ((open.x | open.y | open.z | open.w) & FLUID) == 0u) {
        set_solution_row(cell, vec4(0.0));
        return;
    }
    // Cells at the sides have no pressure.
    ivec3 next = min(cell + ivec3(stage_width, 1, 1), air_cells - 1);
    vec4 u = u_row(cell), v = v_row(cell), w = w_row(cell);
    vec4 across_x = row_east(u, air_u_star(ivec3(next.x, cell.yz))) - u;
    vec4 across_y = v_row(ivec3(cell.x, next.y, cell.z)) - v;
    vec4 across_z = w_row(ivec3(cell.xy, next.z)) - w;
    vec4 solution = (across_x + across_y + across_z) / (air_dx * clock.dt);
    set_solution_row(cell, mix(vec4(0.0), solution, notEqual(open & FLUID, uvec4(0u))));
}
