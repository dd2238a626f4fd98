#version 460
// Copies one box of a field to a message between ranks, or back. UNIT is the largest type that divides the rows.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
EXTENSION

layout(local_size_x = 256) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Units { UNIT at; };

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Entries { uint at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Piece {
    uint64_t field;    // address of the field
    uint64_t message;  // address of the piece in the message
    Entries moved;     // numbers of the entries that move
    uvec3 low;         // first element of the box; along x in units, like size and sides
    uvec3 size;
    uvec3 sides;       // of the field
    uint entries;      // of each element
    uint count;        // of entries that move
    uint out_of_field; // 1 from the field to the message, 0 back
    uint total;        // units of the box
};

layout(push_constant, scalar) uniform Push { Piece piece; };

void move(uint n) {
    uint x = n % piece.size.x, rest = n / piece.size.x;
    uint y = rest % piece.size.y;
    rest /= piece.size.y;
    uint entry = piece.moved.at[rest % piece.count], z = rest / piece.count;
    // Arrays are stored plane by plane in z, and the entries of a plane one after the other.
    uint64_t plane = uint64_t(piece.low.z + z) * piece.entries + entry;
    uint64_t at = (plane * piece.sides.y + piece.low.y + y) * piece.sides.x + piece.low.x + x;
    Units in_field = Units(piece.field + at * UNIT_BYTES);
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
