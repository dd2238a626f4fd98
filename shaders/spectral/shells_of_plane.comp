#version 460
#include "stage.glsl"
#include "spectral/velocity_in_space.glsl"

#pragma reads waves.u waves.v waves.w
#pragma writes planes

// The energy of the waves of one plane (z) whose length rounds to one number: `i` counts shells, then planes.
void stage(uint i) {
    int shells = waves_cells.x, n = waves_cells.y, shell = int(i) % shells, z = int(i) / shells;
    float sum = 0.0;
    for (int y = 0; y < n; y++) {
        int side = signed_number(y, n), depth = signed_number(z, n);
        int rest = side * side + depth * depth;
        // Only x with (shell - 1/2)^2 <= x^2 + rest < (shell + 1/2)^2, in whole numbers.
        int low = max(shell * shell - shell + 1 - rest, 0), high = shell * shell + shell - rest;
        if (high < 0) {
            continue;
        }
        for (int x = int(sqrt(float(low))); x < shells && x * x <= high; x++) {
            if (x * x >= low) {
                ivec3 wave = ivec3(x, y, z);
                vec2 u = waves_u(wave), v = waves_v(wave), w = waves_w(wave);
                sum += 0.5 * copies(wave) * (dot(u, u) + dot(v, v) + dot(w, w));
            }
        }
    }
    set_planes(i, sum);
}
