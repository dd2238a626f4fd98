#version 460
#include "stage.glsl"
#include "particles/jet.glsl"

#pragma writes matter.position matter.velocity matter.spent matter.number
#pragma arguments jet
#pragma argument uint first

// Liquid from a nozzle. Numbers begin with arg.first, which no particle at the start has.
void stage(uint i) {
    uint number = i - matter_count;
    Drop drop = drop_of_jet(number, matter_born);
    set_matter_position(i, drop.position);
    set_matter_velocity(i, drop.velocity);
    set_matter_spent(i, 0u);
    set_matter_number(i, arg.first + clock.step * matter_born + number);
}
