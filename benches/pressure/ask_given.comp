#version 460
#include "stage.glsl"

// Requests the blocks with cells that are not air.
void stage(ivec3 cell) {
    if (given_cell_type(cell) != 1u) {
        request_air(cell);
    }
}
