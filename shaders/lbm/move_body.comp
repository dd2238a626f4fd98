#version 460
#include "stage.glsl"

#pragma writes pose
#pragma arguments motion

// A body that drifts, swings and turns at constant rates, at the end of the step. For another motion give the stage another shader.
void stage(uint i) {
    const float full_turn = 6.28318530717958648;
    float t = clock.time + clock.dt, phase = full_turn * t / arg.period;
    set_pose(0, arg.drift * t + arg.reach * sin(phase));
    set_pose(1, arg.drift + arg.reach * (full_turn / arg.period * cos(phase)));
    set_pose(2, arg.spin * t);
    set_pose(3, arg.spin);
}
