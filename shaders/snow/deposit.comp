#version 460
#include "stage.glsl"
#include "snow/deposit.glsl"
