#version 460
#include "stage.glsl"
#include "grid/slot.glsl"

// The list of active blocks, and for each which of the 27 blocks around it are active: bit
// (dx + 1) + 3 (dy + 1) + 9 (dz + 1), itself at bit 13.
void stage(uint i) {
    if (i >= grid_pages(ACTIVE)) {
        return;
    }
    uint change = ((grid_pages(UPDATES) - 1u) % SLOTS) * change_words() + HEADER_WORDS;
    uint number = grid_changes(change + 3u * MOST_BLOCKS + i);
    ivec3 block = grid_block_at(number);
    uint near = 0u;
    for (int n = 0; n < 27; n++) {
        ivec3 other = block + ivec3(n % 3, n / 3 % 3, n / 9) - 1;
        if (grid_has(other)) {
            uint at = grid_number(other);
            near |= (grid_active(at >> 5) >> (at & 31u) & 1u) << n;
        }
    }
    set_grid_list(i, number);
    set_grid_near(i, near);
}
