#version 460
#include "stage.glsl"

// The boundary faces of one active block, from those of its sub-blocks; and, once, how many blocks there are.
void stage(uint i, ivec3 first_cell) {
    ivec3 parts = air_block_cells / air_sub_cells;
    uint count = uint(parts.x * parts.y * parts.z);
    uvec4 sum = uvec4(0u);
    for (uint part = 0u; part < count; part++) {
        sum += boundary_partial(i * count + part);
    }
    set_boundary_block(i, sum);
    if (i == 0u) {
        set_active_blocks(0u, air_active_count());
    }
}
