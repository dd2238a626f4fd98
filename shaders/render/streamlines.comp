#version 460
#include "stage.glsl"

#pragma reads seeds.position grid.u
#pragma writes lines.start lines.end lines.tint
#pragma arguments pieces piece least fastest first
#pragma argument uint first
#pragma argument uint pieces

// The line from a seed along the flow, in arg.pieces pieces of arg.piece metres, by the method of Runge and Kutta of fourth order in
// the length of the way. It ends where the flow is slower than arg.least or leaves the grid. The tint is the speed over arg.fastest.

vec3 along(vec3 place) {
    vec3 u = sample_grid_u(place);
    return u / max(length(u), 1e-20);
}

void stage(uint seed) {
    vec3 place = seeds_position(seed);
    vec3 low = grid_origin, high = grid_origin + vec3(grid_cells) * grid_spacing;
    bool going = true;
    for (uint k = 0u; k < arg.pieces; k++) {
        vec3 before = place;
        float speed = length(sample_grid_u(place));
        going = going && speed > arg.least && all(greaterThanEqual(place, low)) && all(lessThanEqual(place, high));
        if (going) {
            vec3 a = along(place), b = along(place + 0.5 * arg.piece * a), c = along(place + 0.5 * arg.piece * b),
                 d = along(place + arg.piece * c);
            place += arg.piece / 6.0 * (a + 2.0 * b + 2.0 * c + d);
        }
        uint line = arg.first + seed * arg.pieces + k;
        set_lines_start(line, before);
        set_lines_end(line, place);
        set_lines_tint(line, clamp(speed / arg.fastest, 0.0, 1.0));
    }
}
