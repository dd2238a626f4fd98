#version 460
#include "stage.glsl"
#include "pic/request.glsl"

// The blocks that particles need to start with.
void stage(uint particle) {
    request_for(matter_position(particle));
}
