#include "pressure/labels.glsl"
#include "pressure/region_sums.glsl"

// Adds up the values of each region at its root.

void put(uint root, int64_t sum) {
    if (root != 0u) {
        uint low = uint(sum & 0xffffffffl), high = uint(sum >> 32 & 0xffffffffl);
        uint before = add_grid_sum_low(AT(cell_of(root)), low);
        add_grid_sum_high(AT(cell_of(root)), high + (before > 0xffffffffu - low ? 1u : 0u));
    }
}

STAGE_OVER_RUNS {
    float unit = power_of_two(shift_of(scale(0u)));
    uint last = 0u;
    int64_t sum = 0l;
    for (ivec3 cell = run.first; is_in(run, cell); cell = next_in(run, cell)) {
        uint root = grid_region(AT(cell));
        if (root == 0u) {
            continue;
        }
        if (root != last) {
            put(last, sum);
            last = root;
            sum = 0l;
        }
        sum += int64_t(unit * grid_value(AT(cell)));
    }
    put(last, sum);
}
