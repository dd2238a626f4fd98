#version 460
// Copies whole blocks of a sparse grid to or from a staging buffer, one workgroup a block.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 64) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Word { uint v; };

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Copy {
    uint64_t blocks;   // address of page 0
    uint64_t staging;
    uint words;        // of a block
    uint out_of_grid;  // 1 to staging, 0 from it
    uint count;        // of blocks
    uint pages[];
};

layout(push_constant, scalar) uniform Push { Copy copy; };

void main() {
    uint entry = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (entry >= copy.count) return;
    uint64_t bytes = 4ul * copy.words;
    uint64_t block = copy.blocks + copy.pages[entry] * bytes;
    uint64_t linear = copy.staging + entry * bytes;
    for (uint word = gl_LocalInvocationID.x; word < copy.words; word += gl_WorkGroupSize.x) {
        if (copy.out_of_grid != 0u) {
            Word(linear + 4u * word).v = Word(block + 4u * word).v;
        } else {
            Word(block + 4u * word).v = Word(linear + 4u * word).v;
        }
    }
}
