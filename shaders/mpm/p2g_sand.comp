#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "stage.glsl"
#include "mpm/sand.glsl"
#include "mpm/stress.glsl"
#include "mpm/p2g.glsl"

#pragma reads matter.position matter.velocity matter.affine matter.deform matter.volume
#pragma writes matter.deform matter.volume nodes.mass nodes.px nodes.py nodes.pz counters
#pragma arguments apic density young poisson friction_angle
