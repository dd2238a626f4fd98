#version 460
// The first particle of each plane of cells, of particles that are sorted by cell: lower bounds of the keys.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 64) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Block {
    Words keys;
    Words planes;
    uint first;       // the sorted particles are those from first to end, and then those from more on
    uint end;
    uint more;
    uint sorted;      // number of them
    uint64_t plane;   // cells of a plane
    uint count;       // planes and one
};

layout(push_constant, scalar) uniform Push { Block block; };

// The place of a particle, by its number among the sorted ones.
uint place_of(uint number) {
    uint until = block.end - block.first;
    return number < until ? block.first + number : block.more + (number - until);
}

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= block.count) return;
    uint64_t key = n * block.plane;
    uint low = 0u, high = block.sorted;
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        if (block.keys.at[place_of(middle)] < key) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    block.planes.at[n] = block.first + low;
}
