#version 460
#include "stage.glsl"
#include "pressure/runs.glsl"
#include "pressure/sum_regions.glsl"
