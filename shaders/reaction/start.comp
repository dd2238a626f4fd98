#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "lib/random.glsl"

#pragma writes grid.u grid.v
#pragma arguments start
#pragma argument uint squares

// The start of Pearson (1993): u = 1 and v = 0, but u = 1/2 and v = 1/4 in squares (cubes in space), with noise. A
// single square is in the middle, several are anywhere.
const uint PURPOSE_SQUARES = 0x67726179u, PURPOSE_NOISE = 0x6e6f6973u;

STAGE_IN_SPACE {
    ivec3 cells = space_size(grid_cells);
    vec3 place = in_space(grid_position(AT(cell)) - grid_origin);
    vec3 size = vec3(cells) * vec3(grid_spacing[0], grid_spacing[1], cells.z > 1 ? grid_spacing[grid_spacing.length() - 1] : 0.0);
    vec2 value = vec2(1.0, 0.0);
    for (uint k = 0u; k < arg.squares; k++) {
        vec3 middle = arg.squares == 1u ? vec3(0.5) : random4(k, 0u, PURPOSE_SQUARES, clock.seed).xyz;
        // The nearest image in a periodic domain.
        vec3 away = abs(place - middle * size);
        away = min(away, size - away);
        if (all(lessThanEqual(away, vec3(0.5 * arg.side)))) {
            value = vec2(0.5, 0.25);
        }
    }
    uint number = uint((cell.z * cells.y + cell.y) * cells.x + cell.x);
    vec2 random = random4(number, 0u, PURPOSE_NOISE, clock.seed).xy;
    value *= 1.0 + arg.noise * (2.0 * random - 1.0);
    set_grid_u(AT(cell), value.x);
    set_grid_v(AT(cell), value.y);
}
