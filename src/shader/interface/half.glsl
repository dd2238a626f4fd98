// Halves by their bits, in whole numbers: the same on every device, whatever it does to small numbers. Where the device's own
// conversions are known to have the same results for all numbers (benches/halves), they take their place.
float sg_from_half(uint bits) {
    if (sg_native_halves) return unpackHalf2x16(bits).x;
    uint magnitude = bits & 0x7fffu;
    // Small ones are multiples of 2^-24; the others have another exponent.
    uint wide = magnitude < 0x400u ? floatBitsToUint(float(magnitude) * 5.9604644775390625e-8)
                                   : (magnitude << 13) + (magnitude < 0x7c00u ? 0x38000000u : 0x70000000u);
    return uintBitsToFloat((bits & 0x8000u) << 16 | wide);
}
vec2 sg_from_half(uvec2 bits) { return vec2(sg_from_half(bits.x), sg_from_half(bits.y)); }
vec3 sg_from_half(uvec3 bits) { return vec3(sg_from_half(bits.xy), sg_from_half(bits.z)); }
vec4 sg_from_half(uvec4 bits) { return vec4(sg_from_half(bits.xy), sg_from_half(bits.zw)); }
// To the nearest half, ties to the even one; from 65520 on infinity.
uint sg_to_half(float value) {
    if (sg_native_halves) return packHalf2x16(vec2(value, 0.0));
    uint bits = floatBitsToUint(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x477ff000u) return sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u);
    if (magnitude >= 0x38800000u) return sign | (magnitude - 0x37fff001u + (magnitude >> 13 & 1u)) >> 13;
    uint shift = 126u - (magnitude >> 23);
    if (shift > 24u) return sign;
    uint whole = magnitude & 0x7fffffu | 0x800000u, rest = whole & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
    uint small = whole >> shift;
    return sign | (small + (rest > tie || rest == tie && (small & 1u) != 0u ? 1u : 0u));
}
uvec2 sg_to_half(vec2 value) { return uvec2(sg_to_half(value.x), sg_to_half(value.y)); }
uvec3 sg_to_half(vec3 value) { return uvec3(sg_to_half(value.xy), sg_to_half(value.z)); }
uvec4 sg_to_half(vec4 value) { return uvec4(sg_to_half(value.xy), sg_to_half(value.zw)); }
