#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "snow/flake.glsl"
#include "snow/move_flake.glsl"

// Whole if ranks cut the air along another axis than y.
#pragma whole

// Moves flakes without a look at the ground, before another stage does so.
void stage(uint flake) {
    Flake f = Flake(flakes_position(flake), flakes_velocity(flake), flakes_v_max(flake));
    move_flake(flake, f);
    set_flakes_position(flake, f.position);
    set_flakes_velocity(flake, f.velocity);
}
