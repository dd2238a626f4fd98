#version 460
#include "stage.glsl"
#include "mpm/jelly.glsl"
#include "mpm/stress.glsl"

#pragma reads matter.affine matter.deform nodes.mass
#pragma writes matter.affine matter.deform
#pragma arguments apic density young poisson
