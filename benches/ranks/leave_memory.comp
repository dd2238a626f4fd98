#version 460
#include "stage.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Elsewhere { float value; };

// In step 130, the last cell writes to an address without memory.
void stage(ivec3 cell) {
    if (clock.step == 130u && cell == box_cells - 1) {
        Elsewhere(16ul).value = 0.0;
    }
}
