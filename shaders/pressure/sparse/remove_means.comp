#version 460
#include "stage.glsl"
#include "pressure/sparse/runs.glsl"
#include "pressure/remove_means.glsl"

#pragma reads grid.value grid.region grid.region_cells grid.sum_low grid.sum_high scale
#pragma writes grid.value
#pragma reduces max removed
#pragma whole
