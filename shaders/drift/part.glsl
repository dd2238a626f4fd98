// Units that leave an element, in whole units: every element decides what leaves it, and its neighbours take exactly this.

// Takes a share of `from` units out of those that are left.
uint part_with(uint from, float share, inout uint left) {
    uint units = min(uint(float(from) * share), left);
    left -= units;
    return units;
}

// Counts units in a buffer of two words, of which the second has the overflow of the first.
#define DEFINE_COUNT(NAME, BUFFER) \
    void NAME(uint units) { \
        if (units > 0u) { \
            uint before = add_##BUFFER(0u, units); \
            if (before + units < before) { \
                add_##BUFFER(1u, 1u); \
            } \
        } \
    }
