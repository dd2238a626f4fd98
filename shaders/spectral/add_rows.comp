#version 460
#include "stage.glsl"

#pragma reads rows
#pragma writes power

// The rows one after the other, in one order.
void stage(uint shell) {
    float all = 0.0;
    for (uint row = 0u; row < rows_length / power_length; row++) {
        all += rows(row * power_length + shell);
    }
    set_power(shell, all);
}
