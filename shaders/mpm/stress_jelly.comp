#version 460
#include "stage.glsl"
#include "mpm/jelly.glsl"
#include "mpm/stress.glsl"
