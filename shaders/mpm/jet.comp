#version 460
#include "stage.glsl"
#include "particles/jet.glsl"

#pragma writes matter.position matter.velocity matter.affine matter.volume matter.spent matter.number
#pragma arguments jet

// Water from a nozzle.
void stage(uint i) {
    uint number = i - matter_count;
    Drop drop = drop_of_jet(number, matter_born);
    set_matter_position(i, drop.position);
    set_matter_velocity(i, drop.velocity);
    set_matter_affine(i, mat3(0.0));
    set_matter_volume(i, 1.0);
    set_matter_spent(i, 0u);
    set_matter_number(i, clock.step * matter_born + number);
}
