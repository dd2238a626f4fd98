#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/columns.glsl"

// The largest size of a value in fluid, which scales the sums; they are cleared.
void stage(uint i) {
    Column column = column_of(i, space_size(grid_cells));
    float most = 0.0;
    for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
        most = max(most, grid_region(AT(cell)) != 0u ? abs(grid_value(AT(cell))) : 0.0);
        set_grid_sum_low(AT(cell), 0u);
        set_grid_sum_high(AT(cell), 0u);
    }
    max_scale(most);
}
