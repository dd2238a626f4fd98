#version 460
#include "stage.glsl"

#define UNIT uint
#define UNIT_BYTES 4u
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Unit { uint v; };

#include "particles/clear.glsl"

// An attribute whose values are whole words.
void stage(uint i) {
    clear_units(i);
}
