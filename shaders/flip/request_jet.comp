#version 460
#include "stage.glsl"
#include "pic/request.glsl"

// The blocks within arg.reach cells of a nozzle at arg.place (m).
void stage(uint only) {
    request_for(arg.place);
}
