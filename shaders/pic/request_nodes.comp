#version 460
#include "stage.glsl"
#include "pic/request.glsl"

#pragma reads matter.position
#pragma requests nodes
#pragma arguments update.reach
#pragma argument int reach

// The blocks that particles need to start with.
void stage(uint particle) {
    request_for(matter_position(particle));
}
