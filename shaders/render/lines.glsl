// Keys of lines in a picture: the least key of a pixel is its nearest line, whatever the order of lines. The upper 20 bits are the
// depth, in equal steps from 0 to `reach` (m); then one bit says that the line has a tint, in 11 bits.

const uint LINE_NONE = 0xffffffffu;
const uint LINE_STEPS = 1048575u;

uint line_key(float depth, float reach, float tint) {
    uint steps = uint(clamp(depth / reach, 0.0, 0.999999) * float(LINE_STEPS));
    return steps << 12 | (tint < 0.0 ? 0u : 2048u | uint(clamp(tint, 0.0, 1.0) * 2047.0));
}

float line_depth(uint key, float reach) {
    return (float(key >> 12) + 0.5) / float(LINE_STEPS) * reach;
}

// -1 of a line without.
float line_tint(uint key) {
    return (key & 2048u) == 0u ? -1.0 : float(key & 2047u) / 2047.0;
}
