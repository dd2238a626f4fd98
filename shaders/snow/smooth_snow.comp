#version 460
#include "stage.glsl"

// Steep snow slides from every vertex to every neighbour.
bool slides_between(ivec2 vertex, ivec2 other) {
    return true;
}

#include "snow/sliding.glsl"
