#version 460
#include "stage.glsl"

#pragma reads ground.built

#if HAS_ground_built
#pragma reach ground_built 1
#endif

// Steep snow slides, but not through the walls of obstacles.
bool slides_between(ivec2 vertex, ivec2 other) {
#if HAS_ground_built
    return ground_built(vertex) == ground_built(other);
#else
    return true;
#endif
}

#include "snow/sliding.glsl"
