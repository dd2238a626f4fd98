#version 460
#include "stage.glsl"
#include "mpm/water.glsl"
#include "mpm/stress.glsl"
