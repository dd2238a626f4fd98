#include "pressure/stencil.glsl"
#include "pressure/regions.glsl"

// Gives each cell the root of its region, and counts the cells of each region at its root. The bit ANCHORED marks
// regions with an open side, or beside air: their pressure is determined without a gauge.
const uint ANCHORED = 1u << 31;

// The part of an open face behind which there is no fluid.
float to_air(float part, ivec3 beside) {
    return is_fluid(grid_faces(AT(beside))) ? 0.0 : part;
}

void put(uint root, uint cells, bool anchored) {
    if (root != 0u) {
        add_grid_region_cells(AT(cell_of(root)), cells);
        if (anchored) {
            or_grid_region_cells(AT(cell_of(root)), ANCHORED);
        }
    }
}

STAGE_OVER_RUNS {
    ivec3 size = space_size(grid_cells);
    uint last = 0u, cells = 0u;
    bool anchored = false;
    for (ivec3 cell = run.first; is_in(run, cell); cell = next_in(run, cell)) {
        uint word = grid_faces(AT(cell));
        uint root = is_fluid(word) ? root_of(label_of(cell), last) : 0u;
        if (root != last) {
            put(last, cells, anchored);
            last = root;
            cells = 0u;
            anchored = false;
        }
        if (root != 0u) {
            min_grid_region(AT(cell), root);
            Around at = around(cell, size);
            Parts c = parts_of(word);
            cells++;
            float air = to_air(c.west, at.west) + to_air(c.east, at.east) + to_air(c.south, at.south) + to_air(c.north, at.north)
                      + to_air(c.below, at.below) + to_air(c.above, at.above);
            anchored = anchored || (word & AT_OPEN_SIDE) != 0u || air > 0.0;
        }
    }
    put(last, cells, anchored);
}
