#version 460
#include "stage.glsl"

#pragma reads given.cell_type
#pragma requests air

// Requests the blocks that contain cells other than air.
void stage(ivec3 cell) {
    if (given_cell_type(cell) != 1u) {
        request_air(cell);
    }
}
