#version 460
#include "stage.glsl"

// Matter as it is at rest: not deformed.
void stage(uint particle) {
    set_matter_deform_x(particle, vec3(1.0, 0.0, 0.0));
    set_matter_deform_y(particle, vec3(0.0, 1.0, 0.0));
    set_matter_deform_z(particle, vec3(0.0, 0.0, 1.0));
}
