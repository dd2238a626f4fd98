#version 460
// The largest number of planes of cells that a particle has crossed since the sort before.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x = 256) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Block {
    Words order;      // the former index of each particle
    Words before;     // the first particle of each plane at the sort before, and the end
    Words now;
    Words farthest;
    uint first;       // the particles of this rank at the sort before
    uint end;
    uint count;       // planes and one
};

layout(push_constant, scalar) uniform Push { Block block; };

// The plane of a particle.
uint plane_of(Words planes, uint i) {
    uint low = 0u, high = block.count - 1u;
    while (low < high) {
        uint middle = (low + high + 1u) / 2u;
        if (planes.at[middle] <= i) {
            low = middle;
        } else {
            high = middle - 1u;
        }
    }
    return low;
}

void main() {
    uint n = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationID.x;
    uint drift = 0u;
    if (n < block.end - block.first) {
        uint i = block.first + n;
        drift = uint(abs(int(plane_of(block.before, block.order.at[i])) - int(plane_of(block.now, i))));
    }
    drift = subgroupMax(drift);
    if (subgroupElect()) {
        atomicMax(block.farthest.at[0], drift);
    }
}
