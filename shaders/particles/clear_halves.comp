#version 460
#extension GL_EXT_shader_16bit_storage : require
#include "stage.glsl"

#define UNIT uint16_t
#define UNIT_BYTES 2u
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Unit { uint16_t v; };

#include "particles/clear.glsl"

// An attribute whose values are pairs of bytes, but no whole words.
void stage(uint i) {
    clear_units(i);
}
