#version 460
#include "stage.glsl"
#include "mpm/sand.glsl"
#include "mpm/stress.glsl"
