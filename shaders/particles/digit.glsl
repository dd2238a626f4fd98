// The digit of a key that a pass sorts by.

layout(constant_id = 0) const uint DIGIT_BITS = 8u;
// The pass takes WIDTH bits of the key, from bit SHIFT on.
layout(constant_id = 1) const uint SHIFT = 0u;
layout(constant_id = 2) const uint WIDTH = 8u;

// The key of a particle, or, on several ranks, one that leaves particles where they are which this rank does not have.
uint key_of(uint i, uint key) {
#ifdef STAGE_IS_CUT
    return i < particles_held_first ? 0u : i >= particles_held_end ? 0xffffffffu : key;
#else
    return key;
#endif
}

uint digit_of(uint key) {
    return bitfieldExtract(key, int(SHIFT), int(WIDTH));
}
