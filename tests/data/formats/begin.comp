#version 460
#include "stage.glsl"

void stage(uint i) {
    set_dust_number(i, i);
    set_dust_position(i, vec3(i, 2u * i, 0));
    set_dust_velocity(i, vec3(1, 2, i));
    set_dust_color(i, vec3(float(i) / 51.0, 0.5, 2));
    set_dust_radius(i, 0.25);
    set_dust_key(i, 0u);
}
