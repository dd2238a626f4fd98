#version 460
#include "stage.glsl"

#pragma reads grid.value
#pragma writes cubes.crossed
#pragma arguments surface.level surface.side
#pragma reach grid_value 1

// Marks the blocks of cubes (render/isosurface.glsl) that a surface may cross: the cubes around each cell that is inside
// and has a neighbour outside, or vice versa. Beyond the border everything is outside. arg.side: 1 if inside is above.

const int BLOCK = 8;

bool inside(ivec3 cell) {
    return grid_is_active(cell) && (2.0 * arg.side - 1.0) * (float(grid_value(cell)) - arg.level) > 0.0;
}

void stage(ivec3 cell) {
    bool here = inside(cell);
    bool crossed = false;
    for (int k = 0; k < 6; k++) {
        ivec3 other = cell;
        other[k >> 1] += 2 * (k & 1) - 1;
        crossed = crossed || inside(other) != here;
    }
    if (crossed) {
        // Cubes `cell` to `cell + 1` meet at the cell's centre.
        ivec3 low = cell / BLOCK, high = (cell + 1) / BLOCK;
        for (int z = low.z; z <= high.z; z++) {
            for (int y = low.y; y <= high.y; y++) {
                for (int x = low.x; x <= high.x; x++) {
                    or_cubes_crossed(ivec3(x, y, z), 1u);
                }
            }
        }
    }
}
