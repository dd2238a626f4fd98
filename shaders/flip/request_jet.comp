#version 460
#include "stage.glsl"
#include "pic/request.glsl"

#pragma requests nodes
#pragma argument vec3 place
#pragma argument int reach

// The blocks within arg.reach cells of a nozzle at arg.place (m).
void stage(uint only) {
    request_for(arg.place);
}
