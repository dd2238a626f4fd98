#version 460
#include "stage.glsl"

#define UNIT_BYTES 4u
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Unit { uint v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Two { uvec2 v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Three { uvec3 v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Four { uvec4 v; };

#include "particles/move.glsl"

// Copies one attribute of a particle, whatever its type, by words.
void stage(uint j) {
    if (ENTRIES > 1u || UNITS > 4u) {
        move_units(j);
        return;
    }
    uint64_t from = place_of(uint64_t(sg_p_from), 0u, source_of(j)), to = place_of(uint64_t(sg_q_to), 0u, j);
    if (UNITS == 4u) {
        Four(to).v = Four(from).v;
    } else if (UNITS == 3u) {
        Three(to).v = Three(from).v;
    } else if (UNITS == 2u) {
        Two(to).v = Two(from).v;
    } else {
        Unit(to).v = Unit(from).v;
    }
}
