#version 460
#include "stage.glsl"
#include "pressure/runs.glsl"
#include "pressure/largest_value.glsl"
