#version 460
#include "stage.glsl"
#include "lib/random.glsl"
void stage(ivec3 c) {
    uint e = uint(c.x + air_cells.x * (c.y + air_cells.y * c.z));
    vec3 at = (vec3(c) + 0.5) / vec3(air_cells);
    uint k = 0u;
    int kind = int(arg.kind);
    if (kind == 1) k = random4(e, 0u, 2u, clock.seed).x < 0.3 ? 2u : 0u;              // random 30 %
    if (kind == 2) k = at.y > 0.25 && at.y < 0.75 && (c.x & 1) == 0 ? 2u : 0u;         // comb
    if (kind == 3) k = distance(at, vec3(0.5)) < 0.2 ? 2u : 0u;                        // sphere
    if (kind == 4) k = at.z > 0.5 + 0.1 * sin(19.0 * at.x) * cos(12.0 * at.y) ? 1u : 0u;  // wavy surface
    if (kind == 5) { float r = random4(e, 0u, 2u, clock.seed).x; k = r < 0.45 ? 2u : r < 0.5 ? 1u : 0u; }
    set_air_cell_type(c, k);
}
