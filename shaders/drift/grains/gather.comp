#version 460
#include "stage.glsl"
#include "drift/grains/column.glsl"

#pragma reads grains.position grains.velocity grains.spent
#pragma writes passing aloft
#pragma adds passing
#pragma adds aloft

// Units of `passing` in a m/s.
const float PASSING_UNITS = 1024.0;

// Counts the grains of each level, and sums their velocities along the wind.
void stage(uint i) {
    if (grains_spent(i) == 0u) {
        uint level = level_at(grains_position(i).z);
        add_passing(level, int(round(PASSING_UNITS * grains_velocity(i).x)));
        add_aloft(level, 1u);
    }
}
