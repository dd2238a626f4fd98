#version 460
#include "stage.glsl"

#pragma reads matter.velocity matter.acceleration
#pragma writes matter.velocity

// Half a step of velocity.
void stage(uint i) {
    set_matter_velocity(i, matter_velocity(i) + 0.5 * clock.dt * matter_acceleration(i));
}
