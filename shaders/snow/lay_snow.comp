#version 460
#include "stage.glsl"

// Snow that lies from the start: arg.depth units everywhere.
void stage(ivec2 vertex) {
    set_ground_snow(vertex, arg.depth);
}
