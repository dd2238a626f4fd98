#version 460
// Counts an exchange, and writes its number where the devices of other ranks look for it: the messages are in memory.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Word { volatile uint value; };

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Block {
    Word exchanges;  // number of exchanges so far
    Word signal;     // that other devices read
};

layout(push_constant, scalar) uniform Push { Block block; };

void main() {
    uint number = block.exchanges.value + 1u;
    block.exchanges.value = number;
    block.signal.value = number;
}
