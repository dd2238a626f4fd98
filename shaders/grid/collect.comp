#version 460
#include "stage.glsl"
#include "grid/slot.glsl"

// Copies one word of the request bitmap to the host, to the copy of this update, and clears it for the next update.
void stage(uint word) {
    set_grid_snapshot(update_slot() * BITMAP_WORDS + word, grid_requests(word));
    set_grid_requests(word, 0u);
}
