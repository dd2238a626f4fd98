#version 460
#include "stage.glsl"
#include "render/cases.glsl"

#pragma writes cases

void stage(uint i) {
    set_cases(i, CASES[i]);
}
