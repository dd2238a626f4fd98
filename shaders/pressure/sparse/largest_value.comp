#version 460
#include "stage.glsl"
#include "pressure/sparse/runs.glsl"
#include "pressure/largest_value.glsl"
