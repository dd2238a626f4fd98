#version 460
#include "stage.glsl"
#include "snow/surface.glsl"

#pragma reads ground.elevation ground.snow columns.solid
#pragma writes columns.solid columns.solid_before
// Every rank counts the cells of the whole domain, before every rebuild alone: it reads nothing that ranks share.
#pragma whole

// Height of the centre of a cell, m.
float centre(ivec2 column, int z) {
    return air_position(ivec3(column, z)).z;
}

// Counts the cells of a column that terrain and snow reach: a cell is solid when the surface is at or above its centre.
void stage(ivec2 column) {
    float surface = surface_height(air_position(ivec3(column, 0)).xy);
    // From a first guess that may be wrong by a rounding error.
    int solid = clamp(int((surface - centre(column, 0)) / air_dx), 0, air_cells.z);
    while (solid < air_cells.z && surface >= centre(column, solid)) {
        solid++;
    }
    while (solid > 0 && !(surface >= centre(column, solid - 1))) {
        solid--;
    }
    set_columns_solid_before(column, columns_solid(column));
    set_columns_solid(column, solid);
}
