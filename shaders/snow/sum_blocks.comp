#version 460
#include "stage.glsl"

// The pressure of one active block: the sums of its sub-blocks, in their order.
void stage(uint i, ivec3 first_cell) {
    ivec3 parts = air_block_cells / air_sub_cells;
    uint count = uint(parts.x * parts.y * parts.z);
    vec2 sum = vec2(0.0);
    for (uint part = 0u; part < count; part++) {
        sum += pressure_partial(i * count + part);
    }
    set_pressure_block(i, sum);
}
