#version 460
#include "stage.glsl"
#include "pic/g2p.glsl"
#include "pic/request.glsl"

#pragma requests nodes
#pragma arguments update
#pragma argument int reach
#pragma argument uint every

// For a sparse grid: the stage that moves particles also requests their blocks, in the last step before an update of
// the grid (which is the first entry of every arg.every-th step).
void stage(uint particle) {
    vec3 moved = grid_to_particle(particle);
    if ((clock.step + 1u) % arg.every == 0u) {
        request_for(moved);
    }
}
