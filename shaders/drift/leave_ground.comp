#version 460
#include "stage.glsl"
#include "drift/saltation.glsl"
#include "drift/part.glsl"
#include "pressure/sides.glsl"

#pragma reads ground.friction ground.age ground.salt ground.built
#pragma writes ground.leaving
#pragma reach ground_friction 1
#pragma reach ground_age 1
#if HAS_ground_built
#pragma reach ground_built 1
#endif

// The vertex beside a vertex; at a side that is not periodic, the vertex itself.
ivec2 beside(ivec2 vertex, int axis, int towards) {
    int count = ground_vertices[axis], number = vertex[axis] + towards;
    vertex[axis] = arg.low[axis] == PERIODIC_SIDE ? (number + count) % count : clamp(number, 0, count - 1);
    return vertex;
}

// True where an obstacle stands.
bool is_built(ivec2 vertex) {
#if HAS_ground_built
    return ground_built(vertex) != 0u;
#else
    return false;
#endif
}

// The velocity of saltation, m/s: along the friction, slower where the wind is too weak to keep it up.
vec2 velocity(ivec2 vertex) {
    vec2 friction = ground_friction(vertex);
    float least = threshold(vertex);
    return speed_of_snow(least) * friction / max(length(friction), max(least, 1e-9));
}

// Units of the saltation layer that move on to the neighbours -x, +x, -y, +y: upwind fluxes with the velocity halfway to each, so
// that a ridge between opposite velocities sheds snow to both of its sides. Obstacles stop them.
void stage(ivec2 vertex) {
    vec2 own = velocity(vertex);
    float share[4], all = 0.0;
    for (int side = 0; side < 4; side++) {
        int axis = side >> 1, towards = 2 * (side & 1) - 1;
        ivec2 other = beside(vertex, axis, towards);
        float speed = is_built(vertex) || is_built(other) ? 0.0 : 0.5 * (own[axis] + velocity(other)[axis]);
        share[side] = max(float(towards) * speed, 0.0) * clock.dt / ground_spacing[axis];
        all += share[side];
    }
    uint salt = ground_salt(vertex), left = salt;
    for (int side = 0; side < 4; side++) {
        set_ground_leaving(vertex, uint(side), part_with(salt, share[side] / max(all, 1.0), left));
    }
}
