#version 460
#include "stage.glsl"
#include "pressure/advance.glsl"
