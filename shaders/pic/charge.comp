#version 460
#include "stage.glsl"

// Heat of gas about arg.middle, which falls to 0 at arg.radius (m); beyond, matter is cold debris. All of it is let go at
// arg.release (s).
void stage(uint particle) {
    vec3 from = (matter_position(particle) - arg.middle) / arg.radius;
    set_matter_heat(particle, max(1.0 - dot(from, from), 0.0));
    set_matter_release(particle, arg.release);
}
