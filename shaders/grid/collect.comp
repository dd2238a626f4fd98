#version 460
#include "stage.glsl"
#include "grid/slot.glsl"

// Hands one word of the request bitmap to the host, in the slot of this update, and clears it for the next.
void stage(uint word) {
    set_grid_snapshot(update_slot() * BITMAP_WORDS + word, grid_requests(word));
    set_grid_requests(word, 0u);
}
