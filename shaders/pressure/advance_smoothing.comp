#version 460
#include "stage.glsl"
#define SMOOTH
#include "pressure/advance.glsl"
