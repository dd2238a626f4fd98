#version 460
#include "stage.glsl"

#pragma reads matter.position matter.velocity
#pragma writes matter.position

// A step of position.
void stage(uint i) {
    set_matter_position(i, matter_position(i) + clock.dt * matter_velocity(i));
}
