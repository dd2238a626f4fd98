#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

uint open_part(ivec3 cell, ivec3 beside, int face) {
    return WHOLE;
}

#include "pressure/build_faces.glsl"
