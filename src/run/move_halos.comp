#version 460
// Copies boxes of fields to messages between ranks, or back. One workgroup along y for each box.
#include "engine/signals.glsl"
EXTENSIONS

layout(local_size_x = 256) in;

const uint NO_PAGE = 0xffffffffu;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Pairs { uvec2 at[]; };

// Units of fields, and of messages, which other devices write while the kernel runs.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Unit16 { uvec4 at; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Unit4 { uint at; };
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer Message16 { volatile uvec4 at; };
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Message4 { volatile uint at; };
#ifdef HALVES
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Unit2 { uint16_t at; };
layout(buffer_reference, scalar, buffer_reference_align = 2) coherent buffer Message2 { volatile uint16_t at; };
#endif
#ifdef BYTES
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Unit1 { uint8_t at; };
layout(buffer_reference, scalar, buffer_reference_align = 1) coherent buffer Message1 { volatile uint8_t at; };
#endif

// A channel of a sparse grid.
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Channel {
    uvec2 store;       // address of page 0, the lower word first
    uvec2 axes;        // address of the tables from coordinates to blocks, and to places in a block
    uvec2 table;       // address of the pages of blocks
    uint block_bytes;
    uint first;        // byte of the channel in a block
    uint cells;        // of a block
    uint bytes;        // of an entry of a cell
};

// What a piece is, besides consecutive rows.
const uint PAGED = 1u;  // a box of a channel
const uint ADDED = 2u;  // messages are added to it

struct Piece {
    uint64_t field;    // address of the field or of its Channel
    uint64_t message;  // address of the piece in the message
    uint64_t moved;    // address of the numbers of the entries that move
    uvec3 low;         // first element of the box; along x in units, like size and sides
    uvec3 size;
    uvec3 sides;       // of the field
    uint entries;      // of each element
    uint count;        // of entries that move
    uint unit;         // bytes of a unit: the largest type that divides the rows
    uint what;
    uint total;        // units of the box
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Pieces {
    uvec3 groups;      // for a dispatch that reads its counts
    uint is_packing;   // 1 from fields to messages, 0 back
    uint64_t signals;  // address of Signals: packing counts an exchange, unpacking waits for its messages. 0 without
    Piece piece[];
};

layout(push_constant, scalar) uniform Push { Pieces pieces; };

uint64_t address(uvec2 words) {
    return uint64_t(words.y) << 32 | uint64_t(words.x);
}

// The address of a unit of a field; 0 for a cell of an inactive block. Such cells have a place in the message, but no value; the same
// blocks are active on all ranks.
uint64_t place_in_field(Piece piece, uint n) {
    uint x = n % piece.size.x, rest = n / piece.size.x;
    uint y = rest % piece.size.y;
    rest /= piece.size.y;
    uint entry = Words(piece.moved).at[rest % piece.count];
    uvec3 cell = piece.low + uvec3(x, y, rest / piece.count);
    if (piece.what != PAGED) {
        // Arrays are stored plane by plane in z, and the entries of a plane one after the other.
        uint64_t plane = uint64_t(cell.z) * piece.entries + entry;
        return piece.field + ((plane * piece.sides.y + cell.y) * piece.sides.x + cell.x) * piece.unit;
    }
    Channel channel = Channel(piece.field);
    uint per_cell = channel.bytes / piece.unit, unit = cell.x % per_cell;
    cell.x /= per_cell;
    // The tables have an entry before the first coordinate and one after the last.
    Pairs axes = Pairs(address(channel.axes));
    uvec2 ends = uvec2(piece.sides.x / per_cell, piece.sides.y) + 2u;
    uvec2 place = axes.at[cell.x + 1u] + axes.at[ends.x + cell.y + 1u] + axes.at[ends.x + ends.y + cell.z + 1u];
    uint page = Words(address(channel.table)).at[place.x];
    if (page == NO_PAGE) return 0ul;
    uint64_t block = address(channel.store) + uint64_t(page) * channel.block_bytes + channel.first;
    return block + (uint64_t(entry) * channel.cells + place.y) * channel.bytes + unit * piece.unit;
}

void pack(uint64_t to, uint64_t from, uint unit) {
    if (unit == 16u) Message16(to).at = Unit16(from).at;
    if (unit == 4u) Message4(to).at = Unit4(from).at;
#ifdef HALVES
    if (unit == 2u) Message2(to).at = Unit2(from).at;
#endif
#ifdef BYTES
    if (unit == 1u) Message1(to).at = Unit1(from).at;
#endif
}

void unpack(uint64_t from, uint64_t to, uint unit) {
    if (unit == 16u) Unit16(to).at = Message16(from).at;
    if (unit == 4u) Unit4(to).at = Message4(from).at;
#ifdef HALVES
    if (unit == 2u) Unit2(to).at = Message2(from).at;
#endif
#ifdef BYTES
    if (unit == 1u) Unit1(to).at = Message1(from).at;
#endif
}

void main() {
    Piece piece = pieces.piece[gl_WorkGroupID.y];
    uint first = (gl_WorkGroupID.z * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x;
    bool is_first = gl_WorkGroupID == uvec3(0u);
    // The first workgroup counts and waits even if there is nothing to copy.
    if (first >= piece.total && !is_first) return;
    if (pieces.signals != 0ul) {
        Signals signals = Signals(pieces.signals);
        if (pieces.is_packing == 0u) {
            await_messages(signals);
        } else if (is_first && gl_LocalInvocationIndex == 0u) {
            signals.exchanges++;
        }
    }
    uint n = first + gl_LocalInvocationIndex;
    if (n >= piece.total) return;
    uint64_t in_field = place_in_field(piece, n);
    uint64_t in_message = piece.message + uint64_t(n) * piece.unit;
    if (in_field == 0ul) return;
    if (pieces.is_packing != 0u) {
        pack(in_message, in_field, piece.unit);
    } else if (piece.what == ADDED) {
        // Messages of several ranks are unpacked at once.
        atomicAdd(Unit4(in_field).at, Message4(in_message).at);
    } else {
        unpack(in_message, in_field, piece.unit);
    }
}
