#version 460
#include "stage.glsl"

// To the nearest half, ties to the even one; from 65520 on infinity.
uint nearest_half(float value) {
    uint bits = floatBitsToUint(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
    if (magnitude >= 0x38800000u) return sign | (magnitude - 0x37fff001u + (magnitude >> 13 & 1u)) >> 13;
    uint shift = 126u - (magnitude >> 23);
    if (shift > 24u) return sign;
    uint whole = magnitude & 0x7fffffu | 0x800000u, rest = whole & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
    uint small = whole >> shift;
    return sign | (small + (rest > tie || rest == tie && (small & 1u) != 0u ? 1u : 0u));
}

float value_of_half(uint bits) {
    uint magnitude = bits & 0x7fffu;
    uint wide = magnitude < 0x400u ? floatBitsToUint(float(magnitude) * 5.9604644775390625e-8)
                                   : (magnitude << 13) + (magnitude < 0x7c00u ? 0x38000000u : 0x70000000u);
    return uintBitsToFloat((bits & 0x8000u) << 16 | wide);
}

// 4096 floats with neighbouring bits, and the halves with the number of the block.
void stage(uint block) {
    // With fewer blocks, floats with a larger stride.
    uint wrong = 0u, cut = 0u, stride = (1u << 20) / arg.blocks;
    for (uint i = 0u; i < 4096u; i++) {
        uint bits = (block * stride << 12) + i;
        if ((bits & 0x7fffffffu) <= 0x7f800000u) {
            uint found = packHalf2x16(vec2(uintBitsToFloat(bits), 0.0));
            wrong += found != nearest_half(uintBitsToFloat(bits)) ? 1u : 0u;
            cut += bits < 0x477fe000u && value_of_half(found) > uintBitsToFloat(bits) ? 1u : 0u;
        }
    }
    sum_to_half(wrong);
    sum_spread(cut >> 6);
    bool is_number = block < 65536u && (block & 0x7fffu) <= 0x7c00u;
    sum_from_half(is_number && floatBitsToUint(unpackHalf2x16(block).x) != floatBitsToUint(value_of_half(block)) ? 1u : 0u);
}
