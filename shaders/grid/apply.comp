#version 460
#include "stage.glsl"
#include "grid/slot.glsl"

const uint NO_PAGE = 0xffffffffu, ALL_MISSING = 0xffffffffu;

// Marks blocks active, with their pages, and inactive, and lists the active ones again, with the missing blocks around
// each: these are in the second half of the table. Each block occurs at most once in the changes; the old value of its bit
// is known, so atomics on the whole word do not change other bits.
void stage(uint i) {
    uint blocks = grid_table_length / 2u;
    uint change = ((grid_pages(UPDATES) - 1u) % SLOTS) * change_words() + HEADER_WORDS;
    uint activated = grid_pages(ACTIVATED);
    if (i < activated) {
        uint block = grid_changes(change + 2u * i);
        set_grid_table(block, grid_changes(change + 2u * i + 1u));
        or_grid_active(block >> 5, 1u << (block & 31u));
    } else if (i < activated + grid_pages(DEACTIVATED)) {
        uint block = grid_changes(change + 2u * MAX_BLOCKS + i - activated);
        set_grid_table(block, NO_PAGE);
        set_grid_table(blocks + block, ALL_MISSING);
        add_grid_active(block >> 5, 0u - (1u << (block & 31u)));
    }
    if (i < grid_pages(ACTIVE)) {
        uint listed = grid_changes(change + 3u * MAX_BLOCKS + i);
        set_grid_list(i, listed);
        set_grid_table(blocks + (listed & ~OUTSIDE), grid_changes(change + 4u * MAX_BLOCKS + i));
    }
}
