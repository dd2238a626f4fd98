#version 460
#include "stage.glsl"

void stage(uint i) {
    set_dust_age(i, 0.125 * float(i) + float(clock.step));
    set_dust_position(i, vec3(0.25 * float(i) + float(clock.step), 1.0 + float(i), -float(i)));
    set_dust_velocity(i, vec3(i, 2u * i, clock.step));
    set_dust_number(i, i * i + clock.step);
    set_dust_charge(i, 5 - int(i) - int(clock.step));
}
