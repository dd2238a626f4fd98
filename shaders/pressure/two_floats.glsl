// Numbers as unevaluated sums of two floats, 48 bits together (Dekker 1971, "A floating-point technique for extending the
// available precision"; Knuth, "The art of computer programming", section 4.2.2). Vulkan rounds sums and products of floats
// correctly, and shaders are compiled so that no driver contracts or reorders them. `fma` need not be exact, so it is not used.
#ifndef PRESSURE_TWO_FLOATS
#define PRESSURE_TWO_FLOATS

struct Pair {
    float high, low;
};

// a + b without an error.
Pair two_sum(float a, float b) {
    float sum = a + b, b_in_sum = sum - a;
    return Pair(sum, (a - (sum - b_in_sum)) + (b - b_in_sum));
}

// The upper 12 bits of a float, and the rest.
Pair halves_of(float a) {
    float scaled = 4097.0 * a, high = scaled - (scaled - a);
    return Pair(high, a - high);
}

// a times b without an error, for sizes between 1e-15 and 1e15.
Pair two_product(float a, float b) {
    Pair x = halves_of(a), y = halves_of(b);
    float product = a * b;
    return Pair(product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low);
}

// a + b, where b is a float; the low part of the result is less than half a unit in the last place of the high one.
Pair plus(Pair a, float b) {
    Pair sum = two_sum(a.high, b);
    return two_sum(sum.high, sum.low + a.low);
}

// a - factor b.
Pair minus(Pair a, float factor, Pair b) {
    Pair product = two_product(factor, b.high), sum = two_sum(a.high, -product.high);
    return Pair(sum.high, a.low + (sum.low - (product.low + factor * b.low)));
}

#endif
