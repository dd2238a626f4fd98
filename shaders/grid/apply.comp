#version 460
#include "stage.glsl"
#include "grid/slot.glsl"

// Marks blocks active, with their pages, and inactive, and lists the active ones again. Each block occurs at most once
// in the changes; the old value of its bit is known, so atomics on the whole word do not change other bits.
void stage(uint i) {
    uint change = ((grid_pages(UPDATES) - 1u) % SLOTS) * change_words() + HEADER_WORDS;
    uint activated = grid_pages(ACTIVATED);
    if (i < activated) {
        uint block = grid_changes(change + 2u * i);
        set_grid_table(block, grid_changes(change + 2u * i + 1u));
        or_grid_active(block >> 5, 1u << (block & 31u));
    } else if (i < activated + grid_pages(DEACTIVATED)) {
        uint block = grid_changes(change + 2u * MAX_BLOCKS + i - activated);
        set_grid_table(block, 0xffffffffu);
        add_grid_active(block >> 5, 0u - (1u << (block & 31u)));
    }
    if (i < grid_pages(ACTIVE)) {
        set_grid_list(i, grid_changes(change + 3u * MAX_BLOCKS + i));
    }
}
