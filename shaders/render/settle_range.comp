#version 460
#include "stage.glsl"

// The ends of the colours: those given, or, where these are equal, those found. Never empty.

float from_ordered(uint bits) {
    return uintBitsToFloat((bits & 0x80000000u) != 0u ? bits & 0x7fffffffu : ~bits);
}

void stage(uint i) {
    vec2 ends = arg.range;
    if (!(ends.y > ends.x)) {
        uint least = found(0u), most = found(1u);
        ends = least > most ? vec2(0.0, 1.0) : vec2(from_ordered(least), from_ordered(most));
        if (!(ends.y > ends.x)) {
            ends.y = ends.x + max(1.0, abs(ends.x));
        }
    }
    set_ends(0u, ends.x);
    set_ends(1u, ends.y);
}
