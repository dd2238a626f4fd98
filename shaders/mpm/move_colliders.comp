#version 460
#include "stage.glsl"
#include "mpm/colliders.glsl"

#pragma reads colliders
#pragma writes colliders

// Moves solids with a velocity by one step. Over 1.
void stage(uint one) {
    uint entries = 3u;
    for (uint i = 0u; i + 2u < colliders_length; i += entries) {
        entries = collider_entries(i);
        if (entries == 4u && i + 3u < colliders_length) {
            set_colliders(i + 1u, colliders(i + 1u) + vec4(clock.dt * colliders(i + 3u).xyz, 0.0));
        }
    }
}
