#version 460
#include "stage.glsl"
#include "spark.glsl"

void stage(uint i) {
    make(i, 1000000u + i);
}
