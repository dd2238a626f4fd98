// Waves of a transform with "sides" (docs/fft.md). Between n cells, number k turns by this from a cell to the next: pi k / n if both
// sides are closed, pi (k + 1) / (n + 1) if both are open, pi (2 k + 1) / (2 n + 1) if one is, and 2 pi k / n if the axis is
// periodic, where k above n / 2 means k - n.
#include "spectral/waves.glsl"

float phase(int k, int n, int low, int high) {
    return low == 2 ? TURN * float(abs(signed_number(k, n))) / float(n)
                    : 0.5 * TURN * float(2 * k + low + high) / float(2 * n + low + high);
}

// Sides of cells; planes have no depth.
vec3 spacing_in_space(vec2 spacing) {
    return vec3(spacing, 1.0);
}

vec3 spacing_in_space(vec3 spacing) {
    return spacing;
}
