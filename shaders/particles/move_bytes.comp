#version 460
#extension GL_EXT_shader_8bit_storage : require
#include "stage.glsl"

#define UNIT_BYTES 1u
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Unit { uint8_t v; };

#include "particles/move.glsl"

// Copies one attribute of a particle whose values are not whole words.
void stage(uint j) {
    move_units(j);
}
