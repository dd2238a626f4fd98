#version 460
#include "stage.glsl"
#include "mpm/jelly.glsl"
#include "mpm/stress.glsl"
#include "mpm/p2g.glsl"

#pragma reads matter.position matter.velocity matter.affine matter.deform
#pragma writes matter.deform nodes.mass nodes.px nodes.py nodes.pz counters
#pragma arguments apic density young poisson
