// The sums of adjoint.comp as numbers.
void stage(ivec3 element) {
    uint low = box_low(element), high = box_high(element);
    bool negative = int(high) < 0;
    if (negative) {
        low = ~low + 1u;
        high = ~high + (low == 0u ? 1u : 0u);
    }
    REAL total = (REAL(high) * REAL(4294967296.0) + REAL(low)) / REAL(SCALE);
    set_box_result(element, negative ? -total : total);
}
