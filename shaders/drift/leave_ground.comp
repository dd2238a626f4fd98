#version 460
#include "stage.glsl"
#include "drift/saltation.glsl"
#include "drift/part.glsl"

#pragma reads ground.friction ground.age ground.salt
#pragma writes ground.leaving

// Units of the saltation layer that move on to the neighbours -x, +x, -y, +y: upwind fluxes along the friction, with the speed of
// saltation, less where the wind is too weak to keep it up.
void stage(ivec2 vertex) {
    vec2 friction = ground_friction(vertex);
    float least = threshold(vertex), strength = length(friction);
    vec2 velocity = speed_of_snow(least) * friction / max(strength, max(least, 1e-9));
    vec2 share = abs(velocity) * clock.dt / ground_spacing;
    share /= max(share.x + share.y, 1.0);
    uint salt = ground_salt(vertex), left = salt;
    for (uint axis = 0u; axis < 2u; axis++) {
        uint units = part_with(salt, share[axis], left);
        bool up = velocity[axis] > 0.0;
        set_ground_leaving(vertex, 2u * axis, up ? 0u : units);
        set_ground_leaving(vertex, 2u * axis + 1u, up ? units : 0u);
    }
}
