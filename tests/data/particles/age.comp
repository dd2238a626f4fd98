#version 460
#include "stage.glsl"

// Sparks live for 3 to 9 steps, by their name; those marked dead stay until something removes them.
void stage(uint i) {
    uint name = sparks_name(i), age = sparks_age(i) + 1u;
    set_sparks_age(i, age);
    set_sparks_dead(i, uint(age > 3u + (name * 2654435761u >> 16u) % 7u));
    set_sparks_place(i, sparks_place(i) + vec3(0.0, 0.0, 1.0));
    set_sparks_pair(i, sparks_pair(i) + ivec2(1, -1));
}
