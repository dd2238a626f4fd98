#version 460
// Neither snow nor trees, until the test brings them.
#include "stage.glsl"

void stage(ivec2 vertex) {
    set_ground_snow(vertex, 0u);
    set_ground_forest(vertex, 0.0);
}
