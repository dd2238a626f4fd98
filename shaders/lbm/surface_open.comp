#version 460
#include "stage.glsl"
#include "lbm/surface.glsl"

#pragma reads grid.f grid.cell_type grid.rho grid.u
#pragma writes grid.f grid.cell_type grid.rho grid.u
#pragma arguments pace
#pragma alternates grid_f
#pragma reach grid_cell_type 1 0
#pragma reach grid_rho 1 0
#pragma reach grid_u 1 0
#pragma unordered grid_cell_type

// Around a cell that fills, gas becomes interface and nothing empties. A gas cell that opens starts in equilibrium with the mean density
// and velocity of the interface cells beside it.
STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell)), type = word & TYPE;
    bool gas = type == GAS_CELL;
    if (!gas && (word & (INTERFACE | FILLS | EMPTIES)) == 0u || (is_interface(word) && (word & EMPTIES) == 0u)) {
        return;
    }
    Around at = around(cell);
    if (gives(word) && takers(at) > 0u) {
        word &= ~(FILLS | EMPTIES);
    }
    bool filling = false;
    float count = 0.0, rho = 0.0;
    vec3 u = vec3(0.0);
#define VISIT(CELL) { \
        uint other = grid_cell_type(AT(CELL)); \
        if (is_interface(other)) { \
            filling = filling || (other & FILLS) != 0u; \
            count += 1.0; \
            rho += grid_rho(AT(CELL)); \
            u += held_velocity(CELL); \
        } \
    }
    EACH_NEIGHBOUR
#undef VISIT
    if (is_interface(word)) {
        word &= filling ? ~EMPTIES : ~0u;
    } else if (gas && filling) {
        word |= FILLS;
        rho /= count;
        u /= count;
        set_grid_rho(AT(cell), rho);
        set_grid_u(AT(cell), to_plane(u / arg.pace, grid_cells));
        // The entries in which this step would have stored them.
        uint odd = clock.step & 1u;
        float rest = rho - 1.0 - 1.5 * rho * dot(u, u);
        set_grid_f(AT(cell), 0u, SCALE * REST * rest);
#define PLACE(I, X, Y, Z, W) { \
            float cu = along(X, Y, Z, u); \
            set_grid_f(AT(beside(at, X, Y, Z)), I + odd, SCALE * W * (rest + rho * (4.5 * cu * cu + 3.0 * cu))); \
            set_grid_f(AT(cell), I + 1u - odd, SCALE * W * (rest + rho * (4.5 * cu * cu - 3.0 * cu))); \
        }
        EACH_PAIR(PLACE)
    }
    set_grid_cell_type(AT(cell), word);
}
