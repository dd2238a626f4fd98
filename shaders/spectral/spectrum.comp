#version 460
#include "stage.glsl"

#pragma reads planes
#pragma writes spectrum

// The energy spectrum: the sums of the planes, one after the other, over the square of the number of points.
void stage(uint shell) {
    uint n = planes_length / spectrum_length;
    float sum = 0.0, points = float(n) * float(n) * float(n);
    for (uint z = 0u; z < n; z++) {
        sum += planes(z * spectrum_length + shell);
    }
    set_spectrum(shell, sum / points / points);
}
