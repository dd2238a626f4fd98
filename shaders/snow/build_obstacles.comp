#version 460
#include "stage.glsl"
#include "snow/surface.glsl"

#pragma reads ground.elevation ground.snow
#pragma writes air.obstacle

// The surface under the 3x3 columns around one column, kept while the invocation iterates upwards.
ivec2 known_column = ivec2(-1);
float surface[9];

// Marks the cells that terrain and snow reach: a cell is solid when the surface is at or above its centre.
// Each cell keeps 27 bits, (dx+1) + 3 (dy+1) + 9 (dz+1) for the neighbour at (dx, dy, dz) and bit 13 for
// itself, so that build_faces gets a cell's surroundings from one load.
//
// The rule also applies to cells beyond the grid or in inactive blocks (beyond the terrain's edge the surface
// continues level), so border cells are no special case.
void stage(ivec3 cell) {
    if (cell.xy != known_column) {
        known_column = cell.xy;
        for (int n = 0; n < 9; n++) {
            ivec3 column = ivec3(cell.xy + ivec2(n % 3 - 1, n / 3 - 1), 0);
            surface[n] = surface_height(air_position(column).xy);
        }
    }
    uint bits = 0u;
    for (int layer = 0; layer < 3; layer++) {
        float centre = air_position(cell + ivec3(0, 0, layer - 1)).z;
        for (int n = 0; n < 9; n++) {
            bits |= surface[n] >= centre ? 1u << (9 * layer + n) : 0u;
        }
    }
    set_air_obstacle(cell, bits);
}
