#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "snow/flake.glsl"
#include "snow/move_flake.glsl"
#include "snow/deposit.glsl"

// Whole if ranks cut the air along another axis than y.
#pragma whole

// Moves a flake, and deposits it where it has landed. In one stage, so that its position is read and written once;
// move_flakes.comp and deposit.comp are the same in two.
void stage(uint flake) {
    Flake f = Flake(flakes_position(flake), flakes_velocity(flake), flakes_v_max(flake));
    move_flake(flake, f);
    deposit(flake, f);
    set_flakes_position(flake, f.position);
    set_flakes_velocity(flake, f.velocity);
}
