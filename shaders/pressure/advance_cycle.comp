#version 460
#include "stage.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.p grid.r grid.d partial_dq weight iterations
#pragma writes grid.p grid.r partial_norms dq weight_before iterations

#define ALWAYS
#include "pressure/advance.glsl"
