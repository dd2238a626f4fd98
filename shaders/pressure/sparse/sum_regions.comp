#version 460
#include "stage.glsl"
#include "pressure/sparse/runs.glsl"
#include "pressure/sum_regions.glsl"

#pragma reads grid.value grid.region scale
#pragma writes grid.sum_low grid.sum_high
#pragma whole
