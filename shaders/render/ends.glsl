// The values of the first and the last colour: arg.range, or, where these are equal, the least and the greatest number that is
// finite. Never empty.
#pragma reads least most
#pragma arguments range

vec2 color_ends() {
    if (arg.range.y > arg.range.x) {
        return arg.range;
    }
    // Without such a number the least is above the greatest.
    float low = least(0u), high = most(0u);
    return low > high ? vec2(0.0, 1.0) : high > low ? vec2(low, high) : vec2(low, low + max(1.0, abs(low)));
}
