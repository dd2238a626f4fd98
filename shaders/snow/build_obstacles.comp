#version 460
#include "stage.glsl"
#include "snow/surface.glsl"

// Marks the cells that terrain and snow reach: a cell is solid when the surface is at or above its centre.
// Each cell keeps 27 bits, (dx+1) + 3 (dy+1) + 9 (dz+1) for the neighbour at (dx, dy, dz) and bit 13 for
// itself, so that other stages learn all about a cell's surroundings from one load.
//
// One invocation per column: the surface over its 3x3 columns is interpolated once. Cells beyond the grid are
// judged by the same rule (beyond the terrain's edge the surface continues level), so border cells are no
// special case.
void stage(ivec2 column) {
    float surface[9];
    for (int n = 0; n < 9; n++) {
        ivec3 cell = ivec3(column + ivec2(n % 3 - 1, n / 3 - 1), 0);
        surface[n] = surface_height(air_position(cell).xy);
    }
    // Bits of the three layers below, at and above cell z; moving up shifts them down by one layer.
    uint bits = 0u;
    for (int z = -1; z <= air_cells.z; z++) {
        float centre = air_position(ivec3(column, z)).z;
        uint layer = 0u;
        for (int n = 0; n < 9; n++) {
            layer |= surface[n] >= centre ? 1u << n : 0u;
        }
        bits = bits >> 9u | layer << 18u;
        if (z >= 1) {
            set_air_obstacle(ivec3(column, z - 1), bits);
        }
    }
}
