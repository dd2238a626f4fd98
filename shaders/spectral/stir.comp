#version 460
#include "stage.glsl"
#include "spectral/stirrer.glsl"

// The stirrer accelerates the fluid (arg.push in m/s^2) and colours it. While the pointer is held, it is the stirrer: at
// arg.at, and it pushes the way it moved.
void stage(ivec2 cell) {
    Stirrer stirrer = stirrer_at(clock.time);
    if (arg.held > 0.0) {
        float way = length(arg.moved);
        stirrer = Stirrer(arg.at, way > 0.0 ? arg.moved / way : vec2(0.0));
    }
    float part = near(box_position(cell), stirrer);
    set_box_v(cell, box_v(cell) + clock.dt * arg.push * part * stirrer.towards);
    vec3 tint = 0.5 + 0.5 * cos(TURN * (clock.time / arg.tints + vec3(0.0, 0.33, 0.67)));
    set_box_dye(cell, mix(box_dye(cell), tint, min(arg.feed * clock.dt * part, 1.0)));
}
