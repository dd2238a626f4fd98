#version 460
#include "stage.glsl"

#pragma reads seeds.position grid.u
#pragma writes lines.start lines.end lines.tint
#pragma arguments time fastest first
#pragma argument uint first

// The velocity at a seed as an arrow of three lines: the way in arg.time seconds. The tint is the speed over arg.fastest.
void stage(uint seed) {
    vec3 from = seeds_position(seed), u = sample_grid_u(from), to = from + arg.time * u;
    vec3 across = cross(u, abs(u.z) < 0.9 * length(u) ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0));
    across *= 0.1 * arg.time * length(u) / max(length(across), 1e-20);
    for (uint k = 0u; k < 3u; k++) {
        uint line = arg.first + 3u * seed + k;
        vec3 barb = to - 0.25 * (to - from) + (k == 1u ? across : -across);
        set_lines_start(line, k == 0u ? from : barb);
        set_lines_end(line, to);
        set_lines_tint(line, clamp(length(u) / arg.fastest, 0.0, 1.0));
    }
}
