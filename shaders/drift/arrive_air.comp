#version 460
#include "stage.glsl"
#include "drift/part.glsl"
#include "drift/ground.glsl"
#include "drift/saltation.glsl"
#include "drift/suspension.glsl"

#pragma reads grid.leaving grid.suspended grid.u ground.friction ground.age ground.elevation ground.snow
#pragma writes grid.suspended gone come
#pragma adds gone carry
#pragma adds come carry
#pragma arguments unit inflow
#pragma reach grid_u 0
#pragma reach grid_leaving 1 0
#pragma reach ground_friction 0
#pragma reach ground_age 0
#pragma reach ground_elevation 0
#pragma reach ground_snow 0

DEFINE_COUNT(count_gone, gone)
DEFINE_COUNT(count_come, come)

// Units that come in through the low side along x, of arg.inflow times the profile that eddies keep up over saturated
// saltation, c = c_top (z / top)^(-fall / (kappa u*)) (Rouse 1937).
uint units_coming(ivec3 cell) {
    float friction = max(ground_friction(cell.xy).x, 1e-3), least = threshold(cell.xy);
    float z = grid_origin.z + (float(cell.z) + 0.5) * grid_dx - height(cell.xy);
    float flux = saturated(friction, least);
    if (flux == 0.0 || z <= 0.0) {
        return 0u;
    }
    float mass = arg.inflow * flux / speed_of_snow(least), top = top_of_saltation(friction);
    float concentration = mass * concentration_at_top(friction) * pow(max(z / top, 1.0), -arg.fall / (KARMAN * friction));
    return uint(concentration * max(grid_u(cell), 0.0) * clock.dt / arg.unit);
}

// Ends the move of suspended snow: what leaves a cell arrives at its neighbour; beyond a side that is not periodic it is gone.
void stage(ivec3 cell) {
    uint snow = grid_suspended(cell), lost = 0u;
    for (uint side = 0u; side < 6u; side++) {
        uint axis = side >> 1u;
        snow -= grid_leaving(cell, side);
        ivec3 other = cell;
        other[axis] += (side & 1u) != 0u ? 1 : -1;
        bool inside = other[axis] >= 0 && other[axis] < grid_cells[axis];
        if (inside || arg.low[axis] == PERIODIC_SIDE) {
            other[axis] = (other[axis] + grid_cells[axis]) % grid_cells[axis];
            snow += grid_leaving(other, side ^ 1u);
        } else {
            lost += grid_leaving(cell, side);
            if (side == 0u && arg.inflow > 0.0) {
                uint units = units_coming(cell);
                snow += units;
                count_come(units);
            }
        }
    }
    count_gone(lost);
    set_grid_suspended(cell, snow);
}
