#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "grid/slot.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Word { uint v; };

// Writes the background to every channel of new blocks. A workgroup fills 1/FILL_PARTS of a block.
void main() {
    stage_begin();
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint entry = group / FILL_PARTS, part = group % FILL_PARTS;
    if (entry >= grid_pages(ACTIVATED)) {
        return;
    }
    uint change = ((grid_pages(UPDATES) - 1u) % SLOTS) * change_words() + HEADER_WORDS;
    uint64_t block = grid_base + uint64_t(grid_changes(change + 2u * entry + 1u)) * grid_block_bytes;
    uint words = grid_block_bytes / 4u;
    uint stride = FILL_PARTS * gl_WorkGroupSize.x;
    for (uint word = part * gl_WorkGroupSize.x + gl_LocalInvocationID.x; word < words; word += stride) {
        Word(block + 4u * word).v = grid_background(word);
    }
}
