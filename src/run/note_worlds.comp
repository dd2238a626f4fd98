#version 460
// Writes a word for the host: 1 if a condition holds in any world, otherwise 0.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

const uint THREADS = 256u;
layout(local_size_x = THREADS) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Word { uint value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Note { uint value; };

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Block {
    uint64_t first;     // address of the word of world 0
    uint64_t distance;  // bytes between the words of two worlds
    Note note;
    uint worlds;
    uint padding;
};

layout(push_constant, scalar) uniform Push { Block block; };

shared uint is_any;

void main() {
    if (gl_LocalInvocationID.x == 0u) {
        is_any = 0u;
    }
    barrier();
    for (uint world = gl_LocalInvocationID.x; world < block.worlds; world += THREADS) {
        if (Word(block.first + block.distance * world).value != 0u) {
            is_any = 1u;
        }
    }
    barrier();
    if (gl_LocalInvocationID.x == 0u) {
        block.note.value = is_any;
    }
}
