#version 460
// Writes the workgroup counts of conditional dispatches: their own counts, or 0 if a condition is 0.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 64) in;

// The depth to which repeats nest.
const uint MAX_WORDS = 8u;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Word { uint value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Counted { uvec3 groups; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Counts { uvec3 at[]; };

struct Row {
    uint64_t counted;  // address of counts that the device has computed, or 0
    uvec3 groups;      // counts of the plan
    uint words;        // number of conditions
    uint64_t word[MAX_WORDS];
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Gate {
    Counts counts;
    uint rows;
    uint padding;
    Row row[];
};

layout(push_constant, scalar) uniform Push { Gate gate; };

void main() {
    for (uint i = gl_LocalInvocationID.x; i < gate.rows; i += gl_WorkGroupSize.x) {
        uint64_t counted = gate.row[i].counted;
        uvec3 groups = gate.row[i].groups;
        if (counted != 0ul) {
            groups = Counted(counted).groups;
        }
        for (uint word = 0u; word < gate.row[i].words; word++) {
            if (Word(gate.row[i].word[word]).value == 0u) {
                groups = uvec3(0u);
            }
        }
        gate.counts.at[i] = groups;
    }
}
