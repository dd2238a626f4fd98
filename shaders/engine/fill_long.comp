#version 460
#define OWN_MAIN
#include "stage.glsl"

layout(constant_id = 0) const uint COMPONENTS = 1u;
// Words of the field.
#ifdef sg_over_level
#define WORDS arg.words
#else
layout(constant_id = 1) const uint WORDS_LOW = 0u;
layout(constant_id = 2) const uint WORDS_HIGH = 0u;
#define WORDS (uint64_t(WORDS_HIGH) << 32 | uint64_t(WORDS_LOW))
#endif

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Word { uint v; };

// Writes one value of more than four words to every element of a field.
void main() {
    stage_begin();
    uvec4 pattern[4] = uvec4[4](arg.pattern, arg.pattern_1, arg.pattern_2, arg.pattern_3);
    uint64_t words = WORDS;
    uint64_t stride = uint64_t(gl_NumWorkGroups.x) * gl_NumWorkGroups.y * gl_WorkGroupSize.x;
    for (uint64_t word = uint64_t(stage_linear()); word < words; word += stride) {
        uint component = uint(word % COMPONENTS);
        Word(uint64_t(sg_q_target_words) + 4ul * word).v = pattern[component >> 2][component & 3u];
    }
}
