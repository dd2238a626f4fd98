#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "pressure/cell_types.glsl"

// The masks of pressure.json, by arg.kind.
void stage(ivec3 cell) {
    uint number = uint(cell.x + air_cells.x * (cell.y + air_cells.y * cell.z));
    float chance = random4(number, 0u, 2u, clock.seed).x;
    vec3 at = (vec3(cell) + 0.5) / vec3(air_cells);
    bool solid = false, air = false;
    switch (int(arg.kind)) {
        case 1: solid = chance < 0.3; break;
        case 2: solid = at.y > 0.25 && at.y < 0.75 && (cell.x & 1) == 0; break;
        case 3: solid = distance(at, vec3(0.5)) < 0.2; break;
        case 4: air = at.z > 0.5 + 0.1 * sin(19.0 * at.x) * cos(12.0 * at.y); break;
        case 5: solid = chance < 0.45; air = chance >= 0.45 && chance < 0.5; break;
    }
    set_air_cell_type(cell, solid ? SOLID_CELL : air ? AIR_CELL : FLUID_CELL);
}
