#version 460
#include "stage.glsl"
#include "lbm/surface.glsl"
#include "lbm/curvature.glsl"

// Whether the surface has a tension.
layout(constant_id = 0) const int TENSION = 0;

// Before populations move. Each place of memory still holds what will cross a face in this step, in both directions, so the cells on
// its two sides find the same numbers, and one gets exactly what the other loses. Between two interface cells the mean of
// their fills counts; fluid counts in full. Populations that would come from gas are e_i + e_-i - f_-i, with the density that
// the pressure of the gas and the surface tension demand.
void exchange(Around at, uint odd) {
    vec3 u = held_velocity(at.cell);
    float fill = grid_fill(AT(at.cell)), rest = -1.5 * dot(u, u), rho = 1.0, gained = 0.0;
    if (TENSION != 0) {
        rho += arg.tension * curvature(at);
    }
#define CROSS(CELL, IN_CELL, IN_ENTRY, OUT_CELL, OUT_ENTRY, X, Y, Z, W) { \
        uint other = grid_cell_type(AT(CELL)); \
        if ((other & TYPE) == GAS_CELL) { \
            float cu = along(X, Y, Z, u); \
            float both = 2.0 * W * (rho - 1.0 + rho * (4.5 * cu * cu + rest)); \
            set_grid_f(AT(IN_CELL), IN_ENTRY, SCALE * (both - f_at(OUT_CELL, OUT_ENTRY))); \
        } else if (!is_wall(other & TYPE)) { \
            float part = is_interface(other) ? 0.5 * (fill + grid_fill(AT(CELL))) : 1.0; \
            gained += part * (f_at(IN_CELL, IN_ENTRY) - f_at(OUT_CELL, OUT_ENTRY)); \
        } \
    }
#define CROSS_BOTH(I, X, Y, Z, W) { \
        ivec3 next = beside(at, X, Y, Z), last = beside(at, -(X), -(Y), -(Z)); \
        CROSS(next, next, I + odd, next, I + 1u - odd, X, Y, Z, W) \
        CROSS(last, at.cell, I + 1u - odd, at.cell, I + odd, X, Y, Z, W) \
    }
    EACH_PAIR(CROSS_BOTH)
    set_grid_mass(AT(at.cell), grid_mass(AT(at.cell)) + gained);
}

STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell));
    if (is_interface(word)) {
        exchange(around(cell), clock.step & 1u);
    } else if (gives(word)) {
        // Each interface cell beside this one will take this part.
        set_grid_mass(AT(cell), grid_mass(AT(cell)) / max(float(takers(around(cell))), 1.0));
    }
}
