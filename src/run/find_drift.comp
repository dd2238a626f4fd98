#version 460
// The largest number of planes of cells that a particle has crossed since the sort before, if it is larger than `allowed`.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 256) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Block {
    Words order;      // the former index of each particle
    Words before;     // the first particle of each plane at the sort before, and the end
    Words keys;
    Words farthest;
    uint first;       // the sorted particles are those from first to end, and then those from more on
    uint end;
    uint more;
    uint sorted;      // number of them
    uint64_t plane;   // cells of a plane
    uint count;       // planes and one
    uint allowed;
};

layout(push_constant, scalar) uniform Push { Block block; };

// The plane of a particle at the sort before.
uint plane_before(uint i) {
    uint low = 0u, high = block.count - 1u;
    while (low < high) {
        uint middle = (low + high + 1u) / 2u;
        if (block.before.at[middle] <= i) {
            low = middle;
        } else {
            high = middle - 1u;
        }
    }
    return low;
}

void main() {
    uint n = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationID.x;
    if (n >= block.sorted) return;
    uint until = block.end - block.first;
    uint i = n < until ? block.first + n : block.more + (n - until), former = block.order.at[i];
    // It was not there at the sort before.
    if (former >= block.before.at[block.count - 1u]) return;
    uint plane = uint(block.plane) == 0u ? 0u : block.keys.at[i] / uint(block.plane);
    // Most particles were in a plane that is near enough.
    uint low = plane > block.allowed ? plane - block.allowed : 0u, high = min(plane + block.allowed + 1u, block.count - 1u);
    if (former >= block.before.at[low] && former < block.before.at[high]) return;
    atomicMax(block.farthest.at[0], uint(abs(int(plane_before(former)) - int(plane))));
}
