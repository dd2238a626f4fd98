// Combines values of one component in a workgroup of 256 invocations, as a tree of fixed shape.

// As `ir::Operation` numbers them.
const uint SUM = 0u;
const uint MIN = 1u;
const uint MAX = 2u;
const uint COUNT = 3u;

layout(constant_id = 0) const uint OPERATION = 0u;
// Which numbers the elements are.
layout(constant_id = 1) const uint CLASS = 0u;
// Number of workgroups, each with a partial result per component.
layout(constant_id = 2) const uint GROUPS = 1u;

const bool IS_FLOAT = CLASS == FLOAT;

// Sums: for floats, the sum and the rounding error so far; else the sum. Extrema: a key, and whether a value was NaN.
shared uvec2 folds[256];

// The sum of two floats and the error that rounding makes (Knuth, The Art of Computer Programming 2, 4.2.2).
vec2 two_sum(float a, float b) {
    float sum = a + b;
    float part = sum - a;
    return vec2(sum, (a - (sum - part)) + (b - part));
}

// The neutral element.
uvec2 nothing() {
    if (OPERATION == MIN) {
        return uvec2(IS_FLOAT ? 0xff800000u : 0xffffffffu, 0u);
    }
    return uvec2(OPERATION == MAX && IS_FLOAT ? 0x007fffffu : 0u, 0u);
}

// One element, by its key.
uvec2 single(uint key) {
    uint bits = CLASS == FLOAT ? float_bits(key) : CLASS == INT ? key ^ 0x80000000u : key;
    if (OPERATION == SUM) {
        return uvec2(bits, 0u);
    }
    if (OPERATION == COUNT) {
        return uvec2((IS_FLOAT ? bits & 0x7fffffffu : bits) != 0u ? 1u : 0u, 0u);
    }
    bool is_nan = IS_FLOAT && (bits & 0x7fffffffu) > 0x7f800000u;
    return is_nan ? uvec2(nothing().x, 1u) : uvec2(key, 0u);
}

uvec2 folded(uvec2 a, uvec2 b) {
    if (OPERATION == MIN) {
        return uvec2(min(a.x, b.x), a.y | b.y);
    }
    if (OPERATION == MAX) {
        return uvec2(max(a.x, b.x), a.y | b.y);
    }
    if (OPERATION == SUM && IS_FLOAT) {
        vec2 sum = two_sum(uintBitsToFloat(a.x), uintBitsToFloat(b.x));
        return floatBitsToUint(vec2(sum.x, sum.y + (uintBitsToFloat(a.y) + uintBitsToFloat(b.y))));
    }
    return uvec2(a.x + b.x, 0u);
}

// All of some consecutive invocations, a power of two of them; every invocation must call it.
uvec2 fold_lanes(uvec2 mine, uint lanes) {
    uint lane = gl_LocalInvocationID.x;
    folds[lane] = mine;
    barrier();
    for (uint half_width = lanes / 2u; half_width > 0u; half_width /= 2u) {
        if (lane % lanes < half_width) {
            folds[lane] = folded(folds[lane], folds[lane + half_width]);
        }
        barrier();
    }
    return folds[lane - lane % lanes];
}

// All of a workgroup's; every invocation must call it.
uvec2 fold_group(uvec2 mine) {
    return fold_lanes(mine, 256u);
}

// The bits of the result.
uint result(uvec2 all) {
    if (OPERATION == MIN || OPERATION == MAX) {
        uint key = all.x;
        return all.y != 0u ? 0x7fc00000u : IS_FLOAT ? float_bits(key) : CLASS == INT ? key ^ 0x80000000u : key;
    }
    if (OPERATION == SUM && IS_FLOAT) {
        // A sum beyond the range of floats has no rest.
        bool is_finite = (all.x & 0x7f800000u) != 0x7f800000u;
        return is_finite ? floatBitsToUint(uintBitsToFloat(all.x) + uintBitsToFloat(all.y)) : all.x;
    }
    return all.x;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Word { uint v; };

// A word of the stage's result.
void put(uint number, uint value) {
    Word(uint64_t(sg_q_sg_reduced) + 4ul * number).v = value;
}
