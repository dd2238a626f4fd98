#version 460
#include "stage.glsl"
#include "drift/saltation.glsl"
#include "drift/part.glsl"
#include "pressure/sides.glsl"

#pragma reads ground.friction ground.age ground.leaving ground.salt
#pragma writes ground.salt gone come
#pragma adds gone carry
#pragma adds come carry
#pragma arguments unit inflow
#pragma reach ground_leaving 1 0

DEFINE_COUNT(count_gone, gone)
DEFINE_COUNT(count_come, come)

// Ends the move of the saltation layer: what leaves a vertex arrives at its neighbour. Beyond a side that is not periodic it
// is gone; through the low side along x, arg.inflow times the saturated flux comes in.
void stage(ivec2 vertex) {
    uint salt = ground_salt(vertex);
    for (uint side = 0u; side < 4u; side++) {
        uint axis = side >> 1u;
        bool up = (side & 1u) != 0u, wraps = arg.low[axis] == PERIODIC_SIDE;
        salt -= ground_leaving(vertex, side);
        ivec2 other = vertex;
        other[axis] += up ? 1 : -1;
        bool inside = other[axis] >= 0 && other[axis] < ground_vertices[axis];
        if (inside || wraps) {
            other[axis] = (other[axis] + ground_vertices[axis]) % ground_vertices[axis];
            salt += ground_leaving(other, side ^ 1u);
        } else {
            count_gone(ground_leaving(vertex, side));
            if (side == 0u && arg.inflow > 0.0) {
                float friction = ground_friction(vertex).x;
                float flux = arg.inflow * saturated(max(friction, 0.0), threshold(vertex));
                uint units = uint(flux * clock.dt / (arg.unit * ground_spacing.x));
                salt += units;
                count_come(units);
            }
        }
    }
    set_ground_salt(vertex, salt);
}
