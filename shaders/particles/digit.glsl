// The digit of a key that a pass sorts by.

layout(constant_id = 0) const uint DIGIT_BITS = 8u;
// The pass takes WIDTH bits of the key, from bit SHIFT on.
layout(constant_id = 1) const uint SHIFT = 0u;
layout(constant_id = 2) const uint WIDTH = 8u;

uint digit_of(uint key) {
    return bitfieldExtract(key, int(SHIFT), int(WIDTH));
}
