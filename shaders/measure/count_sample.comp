#version 460
#include "stage.glsl"

#pragma arguments start
#pragma reads samples
#pragma writes samples

// Counts the sample that add_sample.comp added.
void stage(uint i) {
    if (clock.time >= arg.start) {
        set_samples(0u, samples(0u) + 1u);
    }
}
