#version 460
#include "stage.glsl"
#include "drift/saltation.glsl"
#include "drift/part.glsl"
#include "pressure/sides.glsl"

#pragma reads ground.friction ground.age ground.salt ground.built
#pragma writes ground.leaving

#if HAS_ground_built
#pragma reach ground_built 1

bool is_built(ivec2 vertex) {
    for (int axis = 0; axis < 2; axis++) {
        vertex[axis] = arg.low[axis] == PERIODIC_SIDE ? (vertex[axis] + ground_vertices[axis]) % ground_vertices[axis]
                                                      : clamp(vertex[axis], 0, ground_vertices[axis] - 1);
    }
    return ground_built(vertex) != 0u;
}
#else
bool is_built(ivec2 vertex) {
    return false;
}
#endif

// Units of the saltation layer that move on to the neighbours -x, +x, -y, +y: upwind fluxes along the friction, with the speed of
// saltation, less where the wind is too weak to keep it up. Obstacles stop them.
void stage(ivec2 vertex) {
    vec2 friction = ground_friction(vertex);
    float least = threshold(vertex), strength = length(friction);
    vec2 velocity = speed_of_snow(least) * friction / max(strength, max(least, 1e-9));
    vec2 share = abs(velocity) * clock.dt / ground_spacing;
    share /= max(share.x + share.y, 1.0);
    uint salt = ground_salt(vertex), left = salt;
    for (uint axis = 0u; axis < 2u; axis++) {
        bool up = velocity[axis] > 0.0;
        ivec2 other = vertex;
        other[axis] += up ? 1 : -1;
        uint units = part_with(salt, is_built(vertex) || is_built(other) ? 0.0 : share[axis], left);
        set_ground_leaving(vertex, 2u * axis, up ? 0u : units);
        set_ground_leaving(vertex, 2u * axis + 1u, up ? units : 0u);
    }
}
