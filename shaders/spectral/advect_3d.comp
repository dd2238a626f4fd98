#version 460
#include "stage.glsl"

// Semi-Lagrangian advection: what was where the fluid comes from (Stam 1999, "Stable fluids").
void stage(ivec3 cell) {
    vec3 from = box_position(cell) - clock.dt * box_v(cell).xyz;
    set_box_v_next(cell, sample_box_v(from));
    set_box_dye_next(cell, sample_box_dye(from) * exp(-arg.fading * clock.dt));
}
