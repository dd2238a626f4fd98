#version 460
#include "stage.glsl"
#include "mpm/water.glsl"
#include "mpm/stress.glsl"

#pragma reads matter.affine matter.volume nodes.mass
#pragma writes matter.affine matter.volume
#pragma arguments apic density bulk gamma
