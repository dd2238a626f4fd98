#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.region_cells
#pragma reduces count closed

// Counts the closed regions.
STAGE_IN_SPACE {
    uint cells = grid_region_cells(AT(cell));
    count_closed(cells != 0u && (cells & 1u << 31) == 0u);
}
