#version 460
#include "stage.glsl"
#include "grid/slot.glsl"

// Takes over the host's counts and group counts: one group, so that all of it reads the old count of updates
// before word 0 becomes the new one.
void stage(uint word) {
    uint slot = update_slot();
    barrier();
    set_grid_pages(word, grid_changes(slot * change_words() + word));
}
