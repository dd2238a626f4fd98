#version 460
#include "stage.glsl"
#include "pressure/sparse/runs.glsl"
#include "pressure/largest_value.glsl"

#pragma reads grid.value grid.region
#pragma writes grid.sum_low grid.sum_high
#pragma reduces max scale
#pragma whole
