// The transpose of sample.comp: each element gives its share of the gradient to the corners that it was sampled from, and
// finds the gradient with respect to its displacement. Shares are added in whole quanta with 64 bits, so the sum does not
// depend on their order. `box_upstream` is at most 1, and SCALE quanta are 1: with fewer than 2^62 / SCALE elements no
// sum overflows.
#pragma reach box_value anywhere
#pragma reach box_low anywhere
#pragma reach box_high anywhere

// Adds to the sum of 64 bits of an element, which two words hold. A carry goes to the higher word.
void add_share(ivec3 element, REAL share) {
    REAL quanta = floor(abs(share) * REAL(SCALE) + REAL(0.5));
    uint high = uint(floor(quanta / REAL(4294967296.0)));
    uint low = uint(quanta - REAL(high) * REAL(4294967296.0));
    if (share < REAL(0)) {
        low = ~low + 1u;
        high = ~high + (low == 0u ? 1u : 0u);
    }
    uint before = add_box_low(element, low);
    high += before + low < before ? 1u : 0u;
    if (high != 0u) add_box_high(element, high);
}

void stage(ivec3 element) {
    Corner corner = corner_of(element);
    REAL upstream = box_upstream(element);
    REAL slope[3] = REAL[3](REAL(0), REAL(0), REAL(0));
    for (int number = 0; number < 1 << AXES; number++) {
        ivec3 at = corner_element(corner, number);
        REAL value = box_value(at);
        add_share(at, upstream * corner_weight(corner, number));
        for (int axis = 0; axis < AXES; axis++) slope[axis] += corner_slope(corner, number, axis) * value;
    }
    set_box_slope_x(element, upstream * slope[0]);
    set_box_slope_y(element, upstream * slope[1]);
#if AXES == 3
    set_box_slope_z(element, upstream * slope[2]);
#endif
}
