// The tables that measuring stages share with the host.

#include "engine/measure.glsl"

// The watch finds bad values in parts with this number of elements, so that the number of a part fits in 32 bits.
const int PART_LOG2 = 12;
const uint NO_PART = 0xffffffffu;

// The bits of a float by its key.
uint float_bits(uint key) {
    return key ^ ((key >> 31) == 0u ? 0xffffffffu : 0x80000000u);
}
