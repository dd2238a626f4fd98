#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "spectral/phases.glsl"

#pragma reads grid.wave rows
#pragma writes rows

// The squares of the waves of one row, added up by shells; over the square of the number of cells, so that all shells together have
// the mean square (Parseval). Hartley's transform holds a wave and its opposite, which are in one shell, in one real number each.

void stage(uint i) {
    ivec3 size = space_size(grid_cells), wave = ivec3(0, int(i) % size.y, int(i) / size.y);
    vec3 spacing = spacing_in_space(grid_spacing), sides = vec3(size) * spacing;
    uint shells = rows_length / uint(size.y * size.z);
    float longest = max(sides.x, max(sides.y, size.z > 1 ? sides.z : 0.0)), cells = float(size.x) * float(size.y) * float(size.z);
    for (; wave.x < size.x; wave.x++) {
        float square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            float number = float(signed_number(wave[axis], size[axis])) / sides[axis];
            square += number * number;
        }
        uint shell = min(uint(longest * sqrt(square) + 0.5), shells - 1u), at = i * shells + shell;
        float part = grid_wave(AT(wave)) / cells;
        set_rows(at, rows(at) + part * part);
    }
}
