#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

// Over one sub-block: the sum of the pressure of its fluid cells, in the order of their numbers, and how many
// there are (exact in a float up to 2^24).
void stage(uint i, ivec3 first_cell) {
    vec2 sum = vec2(0.0);
    ivec3 end = min(first_cell + air_sub_cells, air_cells);
    for (int z = first_cell.z; z < end.z; z++) {
        for (int y = first_cell.y; y < end.y; y++) {
            for (int x = first_cell.x; x < end.x; x++) {
                ivec3 cell = ivec3(x, y, z);
                if (fluid(air_faces(cell))) {
                    sum += vec2(air_pressure(cell), 1.0);
                }
            }
        }
    }
    set_pressure_partial(i, sum);
}
