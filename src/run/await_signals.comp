#version 460
// Waits until the messages of an exchange are there, or until the host ends the run.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 32) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Word { volatile uint value; };

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Block {
    Word exchanges;  // number of exchanges so far
    Word ended;      // not 0 if the run has ended
    uint64_t count;  // of signals
    Word signal[];   // the numbers of the exchanges whose messages are there
};

layout(push_constant, scalar) uniform Push { Block block; };

void main() {
    uint number = block.exchanges.value;
    for (uint n = gl_LocalInvocationID.x; n < uint(block.count); n += gl_WorkGroupSize.x) {
        // Numbers may wrap around.
        while (int(block.signal[n].value - number) < 0) {
            if (block.ended.value != 0u) break;
        }
    }
}
