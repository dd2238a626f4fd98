#version 460
#include "stage.glsl"

#pragma reads matter.velocity matter.rest
#pragma writes matter.velocity
#pragma arguments flip

// FLIP: returns a share of that part.
void stage(uint particle) {
    set_matter_velocity(particle, matter_velocity(particle) + arg.flip * matter_rest(particle));
}
