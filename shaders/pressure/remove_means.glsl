#include "pressure/labels.glsl"
#include "pressure/region_sums.glsl"

// Subtracts the mean of each closed region: A p = b has a solution only if b adds up to 0 there, and p only up to a
// constant. The rounding error of a difference is carried to the next cell of the run: otherwise all values of
// one binade would be rounded in one direction, and the sum would stay far from 0.
STAGE_OVER_RUNS {
    float unit = power_of_two(-shift_of(scale(0u)));
    uint last = 0u;
    float mean = 0.0, left = 0.0, most = 0.0;
    for (ivec3 cell = run.first; is_in(run, cell); cell = next_in(run, cell)) {
        uint root = grid_region(AT(cell));
        if (root == 0u) {
            continue;
        }
        if (root != last) {
            last = root;
            mean = 0.0;
            left = 0.0;
            uint cells = grid_region_cells(AT(cell_of(root)));
            // 0 where the block of the root has become inactive since.
            if (cells != 0u && (cells & ANCHORED) == 0u) {
                ivec3 at = cell_of(root);
                int64_t sum = int64_t(uint64_t(grid_sum_high(AT(at))) << 32 | uint64_t(grid_sum_low(AT(at))));
                mean = float(sum) / float(cells) * unit;
            }
        }
        if (mean != 0.0) {
            float value = grid_value(AT(cell)), wanted = left - mean, rest = value + wanted;
            // The error of the sum (Knuth, The Art of Computer Programming 2, 4.2.2).
            float part = rest - value;
            left = (value - (rest - part)) + (wanted - part);
            set_grid_value(AT(cell), rest);
            most = max(most, abs(mean));
        }
    }
    max_removed(most);
}
