#version 460
#include "stage.glsl"
#include "mpm/snow.glsl"
#include "mpm/stress.glsl"
