// Two halves of a word, and four of two.
vec2 sg_from_halves(uint bits) {
    if (sg_native_halves) return unpackHalf2x16(bits);
    return sg_from_half(uvec2(bits & 0xffffu, bits >> 16));
}
vec4 sg_from_halves(uvec2 bits) { return vec4(sg_from_halves(bits.x), sg_from_halves(bits.y)); }
uint sg_to_halves(vec2 value) {
    if (sg_native_halves) return packHalf2x16(value);
    uvec2 bits = sg_to_half(value);
    return bits.x | bits.y << 16;
}
uvec2 sg_to_halves(vec4 value) { return uvec2(sg_to_halves(value.xy), sg_to_halves(value.zw)); }
