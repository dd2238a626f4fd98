#version 460
// Copies a channel of active blocks of a sparse grid into an array, x fastest. One workgroup for each block.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

const uint THREADS = 256u;
layout(local_size_x = THREADS) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Array { uint at[]; };

struct Block {
    uvec3 corner;  // its first cell
    uint page;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Copy {
    uint64_t store;  // address of page 0
    uint64_t array;  // address of the result
    Words places;    // the place in a block of each of its cells, x fastest
    uint64_t block_bytes;
    uint first;      // words before the channel in a block
    uint words;      // of an element
    uint entries;    // of an array channel
    uint blocks;
    uvec3 cells;     // of the grid
    uvec3 sides;     // of a block
    Block block[];
};

layout(push_constant, scalar) uniform Push { Copy copy; };

void main() {
    uint number = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (number >= copy.blocks) {
        return;
    }
    Block block = copy.block[number];
    uint cells = copy.sides.x * copy.sides.y * copy.sides.z;
    uint64_t from = copy.store + copy.block_bytes * block.page + 4ul * copy.first;
    for (uint i = gl_LocalInvocationID.x; i < cells * copy.entries; i += THREADS) {
        uint entry = i / cells, inside = i % cells;
        uvec3 cell = block.corner + uvec3(inside, inside / copy.sides.x, inside / (copy.sides.x * copy.sides.y)) % copy.sides;
        if (any(greaterThanEqual(cell, copy.cells))) {
            continue;
        }
        uint64_t source = from + 4ul * copy.words * (entry * cells + copy.places.at[inside]);
        uint64_t row = (uint64_t(cell.z) * copy.entries + entry) * copy.cells.y + cell.y;
        uint64_t target = copy.array + 4ul * copy.words * (row * copy.cells.x + cell.x);
        for (uint word = 0u; word < copy.words; word++) {
            Array(target).at[word] = Words(source).at[word];
        }
    }
}
