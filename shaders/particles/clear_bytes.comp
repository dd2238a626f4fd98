#version 460
#extension GL_EXT_shader_8bit_storage : require
#include "stage.glsl"

#define UNIT uint8_t
#define UNIT_BYTES 1u
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Unit { uint8_t v; };

#include "particles/clear.glsl"

// An attribute whose values are neither whole words nor pairs of bytes.
void stage(uint i) {
    clear_units(i);
}
