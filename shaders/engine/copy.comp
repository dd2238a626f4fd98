#version 460
#define OWN_MAIN
#include "stage.glsl"

// Words of the fields.
#ifdef sg_over_level
#define WORDS arg.words
#else
layout(constant_id = 0) const uint WORDS_LOW = 0u;
layout(constant_id = 1) const uint WORDS_HIGH = 0u;
#define WORDS (uint64_t(WORDS_HIGH) << 32 | uint64_t(WORDS_LOW))
#endif

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Word { uint v; };

// Copies every element of a field to another field of equal type.
void main() {
    stage_begin();
    uint64_t words = WORDS;
    uint64_t stride = uint64_t(gl_NumWorkGroups.x) * gl_NumWorkGroups.y * gl_WorkGroupSize.x;
    for (uint64_t word = uint64_t(stage_linear()); word < words; word += stride) {
        Word(uint64_t(sg_q_target_words) + 4ul * word).v = Word(uint64_t(sg_p_source_words) + 4ul * word).v;
    }
}
