#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "grid/slot.glsl"

// Copies the counts and workgroup counts of the host. It is a single workgroup, so that all of it reads the old number
// of updates before word 0 changes.
void main() {
    stage_begin();
    uint word = stage_linear();
    uint slot = update_slot();
    barrier();
    if (word < HEADER_WORDS) {
        set_grid_pages(word, grid_changes(slot * change_words() + word));
    }
}
