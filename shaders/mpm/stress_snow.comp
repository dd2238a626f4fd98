#version 460
#include "stage.glsl"
#include "mpm/snow.glsl"
#include "mpm/stress.glsl"

#pragma reads matter.affine matter.deform matter.volume nodes.mass
#pragma writes matter.affine matter.deform matter.volume
#pragma arguments apic density young poisson theta_c theta_s hardening hardest
