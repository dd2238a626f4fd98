// The copies of the data that device and host exchange in updates of a sparse grid; src/grid/header.rs writes their
// contents.

#include "engine/pages.glsl"

layout(constant_id = 0) const uint SLOTS = 1u;
layout(constant_id = 1) const uint BITMAP_WORDS = 1u;
layout(constant_id = 2) const uint MAX_BLOCKS = 1u;

// The copy for the current update; begin.comp advances the number of updates.
uint update_slot() {
    return grid_pages(UPDATES) % SLOTS;
}

// Words of the host's decision: header, activated (block, page) pairs, deactivated blocks, active blocks, and the missing
// blocks around each of these.
uint change_words() {
    return HEADER_WORDS + 5u * MAX_BLOCKS;
}
