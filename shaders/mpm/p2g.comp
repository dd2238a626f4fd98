#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "stage.glsl"

#pragma reads matter.position matter.velocity matter.affine
#pragma writes nodes.mass nodes.px nodes.py nodes.pz counters

// P2G without stress: Q is C, or what a stage before has put into its place.
mat3 spread(uint particle) {
    return matter_affine(particle);
}

#include "mpm/p2g.glsl"
