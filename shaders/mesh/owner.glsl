// Finds the element that a share of a scan belongs to.

#pragma reads starts

// The last element whose first share is not after share `share`.
uint owner_of(uint share) {
    uint low = 0u, high = starts_length - 1u;
    while (high - low > 1u) {
        uint middle = low + (high - low) / 2u;
        if (starts(middle) <= share) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
