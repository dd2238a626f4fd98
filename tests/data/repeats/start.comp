#version 460
#include "stage.glsl"

void stage(uint i) {
    set_runs(0u, 0u);
    set_going(0u, arg.go);
}
