#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "pressure/coefficients.glsl"

#pragma reads grid.faces grid.relative_density grid.r
#pragma writes grid.s
#pragma workgroup 512
#pragma whole

// The coarsest level, of at most 4096 cells, in one workgroup: sweeps of successive over-relaxation with the best factor for
// as many cells (Young 1954, "Iterative methods for solving partial difference equations of elliptic type"), red and black cells
// in turn. An invocation has up to four pairs of neighbours along x, a red and a black cell each.
//
// Round a period of an odd number of cells, the first and the last cell have the same color. So the last cells of such axes
// have turns of their own: neighbours that are updated at the same time would diverge with this factor.
const int MIN_SWEEPS = 12;
const int PAIRS = 4;

shared float x[4096];

int slot(ivec3 cell, ivec3 size) {
    return cell.x + size.x * (cell.y + size.y * cell.z);
}

// The cell of a color of a pair; outside of the grid if there is none.
ivec3 cell_of_pair(int pair, int color, ivec3 size) {
    int across = (size.x + 1) / 2, row = pair / across, z = row / size.y, y = row - z * size.y;
    return ivec3(2 * (pair - row * across) + (y + z + color & 1), y, z);
}

// Two numbers below 4096 in a word.
uint packed(int a, int b) {
    return uint(a) | uint(b) << 16;
}

// True if air is beyond one side of some axes, and beyond both sides of none.
bool is_open_at_one_end() {
    bvec3 low = equal(arg.low, ivec3(OPEN_SIDE)), high = equal(arg.high, ivec3(OPEN_SIDE));
    return low != high && !any(bvec3(low.x && high.x, low.y && high.y, low.z && high.z));
}

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    // The longest wave that fits a domain open at one end is twice as long as others, and takes twice the sweeps.
    int most = max(size.x, max(size.y, size.z)), waves = is_open_at_one_end() ? 2 : 1;
    float omega = 2.0 / (1.0 + sin(3.14159265 / float(waves * max(most, 2))));
    ivec3 odd = periodic_axes() * (size & 1) * ivec3(greaterThan(size, ivec3(1)));
    int turns = 1 + odd.x + odd.y + odd.z;
    // For each cell: x' = (1 - omega) x + given + the sum of c x over its neighbours. Air beyond an open side is 0.
    Parts c[2 * PAIRS];
    float given[2 * PAIRS];
    uint x_slots[2 * PAIRS], y_slots[2 * PAIRS], z_slots[2 * PAIRS];
    int own_slot[2 * PAIRS], own_turn[2 * PAIRS];
    [[unroll]] for (int k = 0; k < 2 * PAIRS; k++) {
        ivec3 cell = cell_of_pair(int(local) + 512 * (k / 2), k & 1, size);
        bool inside = all(lessThan(cell, size));
        ivec3 at = min(cell, size - 1);
        uint word = grid_faces(AT(at));
        c[k] = coefficients(word, at, size);
        float own = diagonal(c[k]);
        bool solves = inside && is_fluid(word) && own > 0.0;
        float scale = solves ? omega / own : 0.0;
        given[k] = scale * grid_r(AT(at));
        own_slot[k] = slot(at, size);
        ivec3 last = odd * ivec3(equal(at, size - 1));
        own_turn[k] = solves ? last.x + last.y + last.z : -1;
        Around beside = around(at, size);
        c[k].west *= beside.west == at ? 0.0 : scale;
        c[k].east *= beside.east == at ? 0.0 : scale;
        c[k].south *= beside.south == at ? 0.0 : scale;
        c[k].north *= beside.north == at ? 0.0 : scale;
        c[k].below *= beside.below == at ? 0.0 : scale;
        c[k].above *= beside.above == at ? 0.0 : scale;
        x_slots[k] = packed(slot(beside.west, size), slot(beside.east, size));
        y_slots[k] = packed(slot(beside.south, size), slot(beside.north, size));
        z_slots[k] = packed(slot(beside.below, size), slot(beside.above, size));
        if (inside) {
            x[slot(cell, size)] = 0.0;
        }
    }
    barrier();
    for (int sweep = 0; sweep < waves * max(MIN_SWEEPS, most); sweep++) {
        for (int turn = 0; turn < turns; turn++) {
            [[unroll]] for (int color = 0; color < 2; color++) {
                [[unroll]] for (int pair = 0; pair < PAIRS; pair++) {
                    int k = 2 * pair + color;
                    if (own_turn[k] == turn) {
                        x[own_slot[k]] = (1.0 - omega) * x[own_slot[k]] + given[k]
                                       + (c[k].west * x[x_slots[k] & 0xffffu] + c[k].east * x[x_slots[k] >> 16]
                                          + (c[k].south * x[y_slots[k] & 0xffffu] + c[k].north * x[y_slots[k] >> 16])
                                          + (c[k].below * x[z_slots[k] & 0xffffu] + c[k].above * x[z_slots[k] >> 16]));
                    }
                }
                barrier();
            }
        }
    }
    [[unroll]] for (int k = 0; k < 2 * PAIRS; k++) {
        ivec3 cell = cell_of_pair(int(local) + 512 * (k / 2), k & 1, size);
        if (all(lessThan(cell, size))) {
            set_grid_s(AT(cell), x[slot(cell, size)]);
        }
    }
}
