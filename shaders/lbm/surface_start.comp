#version 460
#include "stage.glsl"
#include "lbm/surface.glsl"

#pragma reads grid.f grid.cell_type grid.fill grid.rho
#pragma writes grid.cell_type grid.fill grid.mass grid.rho grid.u
#pragma reach grid_cell_type 1 0
#pragma reach grid_fill 1 0
#pragma unordered grid_cell_type

// Types from `fill`: 1 is fluid, less is an interface; 0 is gas, or an empty interface cell if fluid is beside it. Gas is at rest,
// and walls are empty.
STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell)), type = word & TYPE;
    if (is_wall(type)) {
        set_grid_fill(AT(cell), 0.0);
    }
    if (type != FLUID_CELL && type != GAS_CELL) {
        return;
    }
    Around at = around(cell);
    float fill = clamp(grid_fill(AT(cell)), 0.0, 1.0);
    bool fluid = false;
#define VISIT(CELL) { \
        uint other = type_at(CELL); \
        fluid = fluid || (!is_wall(other) && (other > MOVING_CELL || grid_fill(AT(CELL)) >= 1.0)); \
    }
    EACH_NEIGHBOUR
#undef VISIT
    bool open = fill > 0.0 || fluid;
    word &= ~(TYPE | INTERFACE | FILLS | EMPTIES);
    set_grid_cell_type(AT(cell), word | (fill >= 1.0 ? FLUID_CELL : open ? INTERFACE : GAS_CELL));
    set_grid_mass(AT(cell), fill < 1.0 ? fill * grid_rho(AT(cell)) : 0.0);
    if (!open) {
        set_grid_rho(AT(cell), 1.0);
        set_grid_u(AT(cell), to_plane(vec3(0.0), grid_cells));
    }
}
