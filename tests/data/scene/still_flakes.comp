#version 460
// Flakes at the origin and at rest, until the test moves them.
#include "stage.glsl"

void stage(uint flake) {
    set_flakes_position(flake, vec3(0.0));
    set_flakes_velocity(flake, vec3(0.0));
}
