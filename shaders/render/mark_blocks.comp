#version 460
#include "stage.glsl"
#include "render/cubes.glsl"

#pragma reads grid.value
#pragma writes cubes.crossed cubes.bits
#pragma arguments surface.level surface.side
#pragma reach grid_value 1

// Marks the cubes (render/isosurface.glsl) that a surface crosses, and their blocks: those around each edge from a cell that is
// inside to one outside. Beyond the border everything is outside. arg.side: 1 if inside is above.

bool inside(ivec3 cell) {
    return grid_is_active(cell) && (2.0 * arg.side - 1.0) * (float(grid_value(cell)) - arg.level) > 0.0;
}

void stage(ivec3 cell) {
    bool here = inside(cell);
    for (int k = 0; k < 6; k++) {
        int axis = k >> 1;
        ivec3 other = cell;
        other[axis] += 1 - 2 * (k & 1);
        // An edge is looked at from its lower end, or from that which is a cell.
        if (((k & 1) != 0 && grid_is_active(other)) || inside(other) == here) {
            continue;
        }
        // Corner c of cubes is the centre of cell c - 1.
        for (int j = 0; j < 4; j++) {
            ivec3 cube = cell + (axis == 0 ? ivec3(0, j & 1, j >> 1) : axis == 1 ? ivec3(j & 1, 0, j >> 1) : ivec3(j & 1, j >> 1, 0));
            cube[axis] = min(cell[axis], other[axis]) + 1;
            or_cubes_crossed(block_of(cube), 1u);
            or_cubes_bits(block_of(cube), part_of(cube), bit_of(cube));
        }
    }
}
