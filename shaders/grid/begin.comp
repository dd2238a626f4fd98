#version 460
#include "stage.glsl"
#include "grid/slot.glsl"

// Copies the counts and workgroup counts of the host. It is a single workgroup, so that all of it reads the old number
// of updates before word 0 changes.
void stage(uint word) {
    uint slot = update_slot();
    barrier();
    set_grid_pages(word, grid_changes(slot * change_words() + word));
}
