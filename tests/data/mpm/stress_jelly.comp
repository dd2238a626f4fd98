#version 460
#include "stage.glsl"
#include "mpm/jelly.glsl"

// The stress of matter as it is, in three columns.
void stage(uint particle) {
    mat3 found = kirchhoff(particle, mat3(0.0));
    for (int column = 0; column < 3; column++) {
        set_stress(3u * particle + uint(column), found[column]);
    }
}
