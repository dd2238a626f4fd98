#version 460
#include "stage.glsl"

// What shaders know of a sparse grid, as they know it.
void stage(uint i) {
    ivec3 sizes[4] = ivec3[](g_cells, g_block_cells, g_sub_cells, g_blocks);
    for (int n = 0; n < 4; n++) {
        for (int axis = 0; axis < 3; axis++) {
            set_mirror(uint(3 * n + axis), float(sizes[n][axis]));
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        set_mirror(uint(12 + axis), g_origin[axis]);
    }
    set_mirror(15u, g_dx);
}
