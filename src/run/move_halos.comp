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

const uint MAX_TURNS = 4u;

// Values of `what`: 0 for rows of a field.
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
    uint turns;        // units that an invocation copies
    uint padding;
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
    // Units are parts of an entry, or neighbours along x.
    uint byte = cell.x * piece.unit, within = byte % channel.bytes;
    cell.x = byte / channel.bytes;
    // The tables have an entry before the first coordinate and one after the last.
    Pairs axes = Pairs(address(channel.axes));
    uvec2 ends = uvec2(piece.sides.x * piece.unit / channel.bytes, piece.sides.y) + 2u;
    uvec2 place = axes.at[cell.x + 1u] + axes.at[ends.x + cell.y + 1u] + axes.at[ends.x + ends.y + cell.z + 1u];
    uint page = Words(address(channel.table)).at[place.x];
    if (page == NO_PAGE) return 0ul;
    uint64_t block = address(channel.store) + uint64_t(page) * channel.block_bytes + channel.first;
    return block + (uint64_t(entry) * channel.cells + place.y) * channel.bytes + within;
}

uvec4 of_field(uint64_t at, uint unit) {
    if (unit == 16u) return Unit16(at).at;
    if (unit == 4u) return uvec4(Unit4(at).at);
#ifdef HALVES
    if (unit == 2u) return uvec4(Unit2(at).at);
#endif
#ifdef BYTES
    if (unit == 1u) return uvec4(Unit1(at).at);
#endif
    return uvec4(0u);
}

uvec4 of_message(uint64_t at, uint unit) {
    if (unit == 16u) return Message16(at).at;
    if (unit == 4u) return uvec4(Message4(at).at);
#ifdef HALVES
    if (unit == 2u) return uvec4(Message2(at).at);
#endif
#ifdef BYTES
    if (unit == 1u) return uvec4(Message1(at).at);
#endif
    return uvec4(0u);
}

void set_field(uint64_t at, uint unit, uvec4 value) {
    if (unit == 16u) Unit16(at).at = value;
    if (unit == 4u) Unit4(at).at = value.x;
#ifdef HALVES
    if (unit == 2u) Unit2(at).at = uint16_t(value.x);
#endif
#ifdef BYTES
    if (unit == 1u) Unit1(at).at = uint8_t(value.x);
#endif
}

void set_message(uint64_t at, uint unit, uvec4 value) {
    if (unit == 16u) Message16(at).at = value;
    if (unit == 4u) Message4(at).at = value.x;
#ifdef HALVES
    if (unit == 2u) Message2(at).at = uint16_t(value.x);
#endif
#ifdef BYTES
    if (unit == 1u) Message1(at).at = uint8_t(value.x);
#endif
}

void main() {
    Piece piece = pieces.piece[gl_WorkGroupID.y];
    uint group = gl_WorkGroupID.z * gl_NumWorkGroups.x + gl_WorkGroupID.x, each = piece.turns * gl_WorkGroupSize.x;
    bool is_first = gl_WorkGroupID == uvec3(0u);
    // The first workgroup counts and waits even if there is nothing to copy.
    if (group * each >= piece.total && !is_first) return;
    if (pieces.signals != 0ul) {
        Signals signals = Signals(pieces.signals);
        if (pieces.is_packing == 0u) {
            await_messages(signals);
        } else if (is_first && gl_LocalInvocationIndex == 0u) {
            signals.exchanges++;
        }
    }
    // All values are read before the first is written, so that the device waits for memory once.
    uint first = group * each + gl_LocalInvocationIndex;
    uint64_t in_field[MAX_TURNS];
    uvec4 values[MAX_TURNS];
    for (uint turn = 0u; turn < MAX_TURNS; turn++) {
        uint n = first + turn * gl_WorkGroupSize.x;
        bool is_moved = turn < piece.turns && n < piece.total;
        in_field[turn] = is_moved ? place_in_field(piece, n) : 0ul;
        if (in_field[turn] != 0ul) {
            uint64_t at = piece.message + uint64_t(n) * piece.unit;
            values[turn] = pieces.is_packing != 0u ? of_field(in_field[turn], piece.unit) : of_message(at, piece.unit);
        }
    }
    for (uint turn = 0u; turn < MAX_TURNS; turn++) {
        if (in_field[turn] == 0ul) continue;
        uint64_t at = piece.message + uint64_t(first + turn * gl_WorkGroupSize.x) * piece.unit;
        if (pieces.is_packing != 0u) {
            set_message(at, piece.unit, values[turn]);
        } else if (piece.what == ADDED) {
            // Messages of several ranks are unpacked at once.
            atomicAdd(Unit4(in_field[turn]).at, values[turn].x);
        } else {
            set_field(in_field[turn], piece.unit, values[turn]);
        }
    }
}
