#version 460
#include "stage.glsl"

// Words of an element.
layout(constant_id = 0) const uint WORDS = 1u;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer One { uint v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Two { uvec2 v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Three { uvec3 v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Four { uvec4 v; };

// Copies one attribute of a particle, whatever its type: of the one that the order names, where there is one.
void stage(uint j) {
#ifdef order_length
    uint i = order(j);
#else
    uint i = j;
#endif
    uint64_t from = uint64_t(sg_p_from) + 4ul * WORDS * i, to = uint64_t(sg_q_to) + 4ul * WORDS * j;
    if (WORDS == 4u) {
        Four(to).v = Four(from).v;
    } else if (WORDS == 3u) {
        Three(to).v = Three(from).v;
    } else if (WORDS == 2u) {
        Two(to).v = Two(from).v;
    } else {
        One(to).v = One(from).v;
    }
}
