#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// Random particles in the unit box, at rest.
void stage(uint i) {
    set_dots_position(i, random4(i, 0u, 0u, clock.seed).xyz);
    set_dots_velocity(i, vec3(0.0));
    set_dots_id(i, i);
}
