#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "stage.glsl"
#include "mpm/water.glsl"
#include "mpm/stress.glsl"
#include "mpm/p2g.glsl"

#pragma reads matter.position matter.velocity matter.affine matter.volume
#pragma writes matter.volume nodes.mass nodes.px nodes.py nodes.pz counters
#pragma arguments apic density bulk gamma
