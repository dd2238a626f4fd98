#version 460
#include "stage.glsl"

// The attribute `number` names a particle, wherever the sort moves it.
void stage(uint i) {
    uint number = dust_number(i);
    set_dust_position(i, vec3(number, 2u * number, clock.step));
    set_dust_velocity(i, vec3(1, 2, number));
    set_dust_key(i, (number * 37u + clock.step * 11u) % 64u);
}
