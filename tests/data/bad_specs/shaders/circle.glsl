#include "circle.glsl"
