#version 460
#include "stage.glsl"

// The ground is finer than the air and not cut with it.
#pragma whole

// Steep snow slides from every vertex to every neighbour.
bool slides_between(ivec2 vertex, ivec2 other) {
    return true;
}

#include "snow/sliding.glsl"
