// Connected regions of fluid. `grid.region` of a cell of fluid is 1 + the number of a cell of its region, at the end of
// the region's first cell, its root; 0 elsewhere. Union-find with atomic minima: Komura 2015, "GPU-based cluster-labeling
// algorithm without the use of conventional iteration". The labels do not depend on the order of the threads.
#ifndef PRESSURE_REGIONS
#define PRESSURE_REGIONS

#include "pressure/labels.glsl"

#pragma reach grid_region anywhere

// Reads through an atomic: other invocations change it meanwhile.
uint region_at(ivec3 cell) {
    return min_grid_region(AT(cell), 0xffffffffu);
}

// The root of the region of a cell, by its label. A root that the caller knows is not read again: all cells of a region would
// read one address.
uint root_of(uint label, uint known) {
    while (label != known) {
        uint next = region_at(cell_of(label));
        if (next == label) {
            break;
        }
        label = next;
    }
    return label;
}

uint root_of(uint label) {
    return root_of(label, 0u);
}

// Joins the regions of two cells: the greater root points to the smaller one.
void join_regions(uint a, uint b) {
    for (;;) {
        a = root_of(a);
        b = root_of(b);
        if (a == b) {
            return;
        }
        uint high = max(a, b), low = min(a, b);
        uint before = min_grid_region(AT(cell_of(high)), low);
        if (before == high) {
            return;
        }
        a = before;
        b = low;
    }
}

#endif
