#version 460
#include "stage.glsl"

#pragma reads grid.faces grid.relative_density grid.p grid.r grid.d partial_dq weight iterations
#pragma writes grid.p grid.r grid.z partial_norms dq weight_before iterations
#pragma arguments damping

#define SMOOTH
#include "pressure/advance.glsl"
