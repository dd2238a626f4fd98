// Values of columns of blocks are stored at the first of their columns of cells.
ivec2 first_column(ivec2 block) {
    return block * air_block_cells.xy;
}

// False if a column has more blocks than active_blocks has bits.
bool has_block_bits() {
    return air_blocks.z <= 32;
}

// Which blocks of a column are active.
uint active_blocks(ivec2 block) {
    uint bits = 0u;
    for (int z = 0; z < min(air_blocks.z, 32); z++) {
        bits |= uint(air_is_active(ivec3(block, z) * air_block_cells)) << z;
    }
    return bits;
}
