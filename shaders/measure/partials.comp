#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "measure/items.glsl"

// A partial result of one item per workgroup, which the host combines: the number of elements, the number that are not
// finite, and for the others the sum and the smallest and largest key. The elements of each invocation, and the tree of
// the sum in a workgroup, are the same in every run and on every device.

struct Partial {
    uint count;
    uint nonfinite;
    // Floats: the sum, and the rounding error so far. Whole numbers: 64 bits.
    uvec2 sum;
    uint least;
    uint most;
};

shared Partial partials[256];

// The sum of two floats and the error that rounding makes (Knuth, The Art of Computer Programming 2, 4.2.2).
vec2 two_sum(float a, float b) {
    float sum = a + b;
    float part = sum - a;
    return vec2(sum, (a - (sum - part)) + (b - part));
}

uvec2 add_floats(uvec2 a, uvec2 b) {
    vec2 sum = two_sum(uintBitsToFloat(a.x), uintBitsToFloat(b.x));
    return floatBitsToUint(vec2(sum.x, sum.y + (uintBitsToFloat(a.y) + uintBitsToFloat(b.y))));
}

uvec2 add_whole(uvec2 a, uvec2 b) {
    uint carry;
    uint low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

Partial merged(Partial a, Partial b, uint of_class) {
    uvec2 sum = of_class == FLOAT ? add_floats(a.sum, b.sum) : add_whole(a.sum, b.sum);
    return Partial(a.count + b.count, a.nonfinite + b.nonfinite, sum, min(a.least, b.least), max(a.most, b.most));
}

// One element.
Partial single(uint key, uint of_class) {
    if (of_class == FLOAT) {
        uint bits = float_bits(key);
        if ((bits & 0x7f800000u) == 0x7f800000u) {
            return Partial(1u, 1u, uvec2(0u), 0xffffffffu, 0u);
        }
        return Partial(1u, 0u, uvec2(bits, 0u), key, key);
    }
    uvec2 value = of_class == INT ? uvec2(key ^ 0x80000000u, key < 0x80000000u ? 0xffffffffu : 0u) : uvec2(key, 0u);
    return Partial(1u, 0u, value, key, key);
}

void main() {
    stage_begin();
    uint item = gl_WorkGroupID.y, group = gl_WorkGroupID.x, lane = gl_LocalInvocationID.x;
    uint row = ITEM_WORDS * (arg.first + item);
    uint groups = measure_items(row), first = measure_items(row + 1u), of_class = measure_items(row + 3u);
    Partial mine = Partial(0u, 0u, uvec2(0u), 0xffffffffu, 0u);
    uint64_t start = uint64_t(group) * gl_WorkGroupSize.x + lane, stride = uint64_t(groups) * gl_WorkGroupSize.x;
    uint turns = group < groups ? turns_of(start, measured_count(item), stride) : 0u;
    for (uint turn = 0u; turn < turns; turn++) {
        uvec4 keys;
        if (measured_keys(item, start + turn * stride, keys)) {
            mine = merged(mine, single(keys.x, of_class), of_class);
        }
    }
    partials[lane] = mine;
    barrier();
    for (uint half_width = gl_WorkGroupSize.x / 2u; half_width > 0u; half_width /= 2u) {
        if (lane < half_width) {
            partials[lane] = merged(partials[lane], partials[lane + half_width], of_class);
        }
        barrier();
    }
    if (lane == 0u && group < groups) {
        Partial all = partials[0];
        uint at = PARTIAL_WORDS * (first + group);
        set_measure_partials(at, all.count);
        set_measure_partials(at + 1u, all.nonfinite);
        set_measure_partials(at + 2u, all.sum.x);
        set_measure_partials(at + 3u, all.sum.y);
        set_measure_partials(at + 4u, all.least);
        set_measure_partials(at + 5u, all.most);
    }
}
