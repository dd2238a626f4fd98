#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "snow/flake.glsl"
#include "snow/deposit.glsl"

#pragma reads air.faces flakes.velocity
#pragma reach air_faces 0
// Whole if ranks cut the air along another axis than y.
#pragma whole

// Deposits flakes that another stage has moved.
void stage(uint flake) {
    Flake f = Flake(flakes_position(flake), flakes_velocity(flake), flakes_v_max(flake));
    deposit(flake, f);
    set_flakes_position(flake, f.position);
    set_flakes_velocity(flake, f.velocity);
}
