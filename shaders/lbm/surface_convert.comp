#version 460
#include "stage.glsl"
#include "lbm/surface.glsl"

#pragma reads grid.f grid.cell_type grid.rho grid.mass
#pragma writes grid.cell_type grid.rho grid.u grid.mass grid.fill
#pragma arguments pace acceleration
#pragma alternates grid_f
#pragma reach grid_cell_type 1 0
#pragma unordered grid_cell_type

// Filled interface cells become fluid and empty ones gas; gas beside a filled cell and fluid beside an empty one become
// interface. So no fluid cell is ever beside gas.
STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell)), type = word & TYPE;
    if (is_interface(word)) {
        if ((word & FILLS) != 0u) {
            set_grid_mass(AT(cell), grid_mass(AT(cell)) - grid_rho(AT(cell)));
            set_grid_fill(AT(cell), 1.0);
            set_grid_cell_type(AT(cell), word & ~INTERFACE);
        } else if ((word & EMPTIES) != 0u) {
            set_grid_fill(AT(cell), 0.0);
            set_grid_rho(AT(cell), 1.0);
            set_grid_u(AT(cell), to_plane(vec3(0.0), grid_cells));
            set_grid_cell_type(AT(cell), (word & ~INTERFACE) | GAS_CELL);
        }
    } else if (type == GAS_CELL && (word & FILLS) != 0u) {
        set_grid_mass(AT(cell), 0.0);
        set_grid_fill(AT(cell), 0.0);
        set_grid_cell_type(AT(cell), (word & ~TYPE) | INTERFACE);
    } else if (type == FLUID_CELL) {
        Around at = around(cell);
        bool emptying = false;
#define VISIT(CELL) emptying = emptying || (grid_cell_type(AT(CELL)) & EMPTIES) != 0u;
        EACH_NEIGHBOUR
#undef VISIT
        if (!emptying) {
            return;
        }
        // Density and velocity from the populations that this step has left.
        uint odd = clock.step & 1u;
        float excess = f_at(cell, 0u);
        vec3 momentum = vec3(0.0);
#define ADD(I, X, Y, Z, W) { \
            float first = f_at(beside(at, X, Y, Z), I + odd), second = f_at(cell, I + 1u - odd); \
            excess += first + second; \
            momentum += (first - second) * vec3(X, Y, Z); \
        }
        EACH_PAIR(ADD)
        float rho = 1.0 + excess;
        vec3 u = momentum / rho - 0.5 * arg.acceleration;
        set_grid_rho(AT(cell), rho);
        set_grid_u(AT(cell), to_plane(u / arg.pace, grid_cells));
        set_grid_mass(AT(cell), rho);
        set_grid_cell_type(AT(cell), word | INTERFACE);
    }
}
