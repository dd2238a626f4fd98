#version 460
// Copies one box of a channel of a sparse grid to a message between ranks, or back: see move_halo.comp. Cells of inactive blocks
// have a place in the message, but no value; the same blocks are active on all ranks.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
EXTENSION

layout(local_size_x = 256) in;

const uint NO_PAGE = 0xffffffffu;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Units { UNIT at; };

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Pairs { uvec2 at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Channel {
    uvec2 store;       // address of page 0, the lower word first
    uvec2 axes;        // address of the tables from coordinates to blocks, and to places in a block
    uvec2 table;       // address of the pages of blocks
    uint block_bytes;
    uint first;        // byte of the channel in a block
    uint cells;        // of a block
    uint bytes;        // of an entry of a cell
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Piece {
    uint64_t channel;
    uint64_t message;  // address of the piece in the message
    uint64_t moved;    // numbers of the entries that move
    uvec3 low;         // first cell of the box; along x in units, like size and sides
    uvec3 size;
    uvec3 sides;       // of the grid
    uint entries;      // of each cell
    uint count;        // of entries that move
    uint out_of_field; // 1 from the channel to the message, 0 back
    uint total;        // units of the box
};

layout(push_constant, scalar) uniform Push { Piece piece; };

uint64_t address(uvec2 words) {
    return uint64_t(words.y) << 32 | uint64_t(words.x);
}

void move(uint n) {
    Channel channel = Channel(piece.channel);
    uint x = n % piece.size.x, rest = n / piece.size.x;
    uint y = rest % piece.size.y;
    rest /= piece.size.y;
    uint entry = Words(piece.moved).at[rest % piece.count];
    uint per_cell = channel.bytes / uint(UNIT_BYTES), unit = (piece.low.x + x) % per_cell;
    uvec3 cell = uvec3((piece.low.x + x) / per_cell, piece.low.y + y, piece.low.z + rest / piece.count);
    // The tables have an entry before the first coordinate and one after the last.
    Pairs axes = Pairs(address(channel.axes));
    uvec2 ends = uvec2(piece.sides.x / per_cell, piece.sides.y) + 2u;
    uvec2 place = axes.at[cell.x + 1u] + axes.at[ends.x + cell.y + 1u] + axes.at[ends.x + ends.y + cell.z + 1u];
    uint page = Words(address(channel.table)).at[place.x];
    if (page == NO_PAGE) return;
    uint64_t block = address(channel.store) + uint64_t(page) * channel.block_bytes + channel.first;
    uint64_t in_block = (uint64_t(entry) * channel.cells + place.y) * channel.bytes;
    Units in_field = Units(block + in_block + unit * UNIT_BYTES);
    Units in_message = Units(piece.message + uint64_t(n) * UNIT_BYTES);
    if (piece.out_of_field != 0u) {
        in_message.at = in_field.at;
    } else {
        in_field.at = in_message.at;
    }
}

void main() {
    uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 1024u + gl_LocalInvocationID.x;
    for (uint turn = 0u; turn < 4u; turn++) {
        uint n = first + turn * 256u;
        if (n < piece.total) move(n);
    }
}
