#version 460
#include "stage.glsl"
#include "pressure/sparse/runs.glsl"
#include "pressure/count_regions.glsl"
