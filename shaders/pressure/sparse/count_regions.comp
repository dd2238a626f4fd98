#version 460
#include "stage.glsl"
#include "pressure/sparse/runs.glsl"
#include "pressure/count_regions.glsl"

#pragma reads grid.faces
#pragma writes grid.region grid.region_cells
#pragma whole
