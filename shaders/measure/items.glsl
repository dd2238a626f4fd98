// The tables that measuring stages share with the host.

#include "engine/measure.glsl"

// The watch finds bad values in parts with this number of elements, so that the number of a part fits in 32 bits.
const int PART_LOG2 = 12;
const uint NO_PART = 0xffffffffu;

// The bits of a float by its key.
uint float_bits(uint key) {
    return key ^ ((key >> 31) == 0u ? 0xffffffffu : 0x80000000u);
}

// Turns of a loop over start, start + stride, ... below `end`. Loops count them in 32 bits: NVIDIA's driver 580 compiles a
// loop with a 64-bit counter that follows a return so that it never ends.
uint turns_of(uint64_t start, uint64_t end, uint64_t stride) {
    return start < end ? uint((end - start + (stride - 1ul)) / stride) : 0u;
}
