#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

// Over one column of the air: the sum of the pressure of its fluid cells, from the bottom up, and
// their number (exact in a float up to 2^24).
void stage(ivec2 column) {
    vec2 sum = vec2(0.0);
    for (int z = 1; z < air_cells.z - 1; z++) {
        ivec3 cell = ivec3(column, z);
        if (fluid(air_faces(cell))) {
            sum += vec2(air_pressure(cell), 1.0);
        }
    }
    set_pressure_partial(uint(column.x + air_cells.x * column.y), sum);
}
