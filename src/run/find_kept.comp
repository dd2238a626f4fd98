#version 460
// The first particle of each plane of cells after a removal: the order lists the former indices of those that stay.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 64) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Block {
    Words order;
    Words before;     // the first particle of each plane before the removal, and the end
    Words planes;
    uint first;       // the particles from first to end have stayed
    uint end;
    uint count;       // planes and one
};

layout(push_constant, scalar) uniform Push { Block block; };

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= block.count) return;
    uint low = block.first, high = block.end;
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        if (block.order.at[middle] < block.before.at[n]) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    block.planes.at[n] = low;
}
