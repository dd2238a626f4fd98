#version 460
#include "stage.glsl"
#include "spark.glsl"

// The name tells step and number among the newborn.
void stage(uint i) {
    make(i, (clock.step + 1u) * 10000u + (i - sparks_count));
}
