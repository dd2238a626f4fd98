#version 460
#include "stage.glsl"
#include "lbm/surface.glsl"
#include "lbm/curvature.glsl"

#pragma reads grid.f grid.cell_type grid.fill grid.mass grid.u
#pragma writes grid.f grid.mass
#pragma arguments pace surface_tension
#pragma alternates grid_f last
#pragma reach grid_cell_type 3
#pragma reach grid_fill 3

// The surface has a tension.
layout(constant_id = 0) const int TENSION = 0;

// Extrapolation over more than twice the known distance would grow.
const float NEAREST = 0.5;
// Maximum change by extrapolation, as a part of the density: it improves calm surfaces and would feed splashes.
const float MAX_CHANGE = 0.005;

// Before populations move. Memory still holds the populations that will cross a face in this step, in both directions, so the
// cells on both sides compute opposite changes of mass. Between two interface cells, the mean of their fills is the
// weight of the exchange; an exchange with fluid has weight 1.
//
// A population that would come from gas is e_i + e_-i - f_-i, with the density that the pressure of the gas and the surface tension
// demand. This sets the pressure in the middle of the link, but the surface passes at the part q of it. The link on the opposite side
// has such a sum, too, half a cell before the centre; linear extrapolation from it and the value at the surface gives the middle.
void exchange(Around at, uint odd) {
    float fills[27] = fills_round(at);
    vec3 u = held_velocity(at.cell), n = outward_normal(fills);
    float fill = grid_fill(AT(at.cell)), rest = -1.5 * dot(u, u), rho = 1.0, gained = 0.0, surface = 0.5;
    if (n != vec3(0.0)) {
        surface = plane_distance(fill, n);
        if (TENSION != 0) {
            rho += arg.surface_tension * curvature(at.cell, fills, n, surface);
        }
    }
    // Populations through the link to NEXT are in memory at PLACE, entries IN and OUT; through the opposite link to LAST,
    // at BEHIND.
#define CROSS(NEXT, PLACE, IN, OUT, LAST, BEHIND, SIGN, X, Y, Z, W) { \
        uint word = grid_cell_type(AT(NEXT)); \
        if ((word & TYPE) == GAS_CELL) { \
            float cu = along(X, Y, Z, u), rise = SIGN * along(X, Y, Z, n); \
            float both = 2.0 * W * (rho - 1.0 + rho * (4.5 * cu * cu + rest)); \
            if (rise > 0.1 && !is_idle(type_at(LAST))) { \
                float inner = f_at(BEHIND, IN) + f_at(BEHIND, OUT); \
                float more = (both - inner) * (1.0 / clamp(surface / rise + 0.5, NEAREST, 1.0) - 1.0); \
                both += clamp(more, -2.0 * W * MAX_CHANGE, 2.0 * W * MAX_CHANGE); \
            } \
            set_grid_f(AT(PLACE), IN, SCALE * (both - f_at(PLACE, OUT))); \
        } else if (!is_wall(word & TYPE)) { \
            float part = is_interface(word) ? 0.5 * (fill + grid_fill(AT(NEXT))) : 1.0; \
            gained += part * (f_at(PLACE, IN) - f_at(PLACE, OUT)); \
        } \
    }
#define CROSS_BOTH(I, X, Y, Z, W) { \
        ivec3 next = beside(at, X, Y, Z), last = beside(at, -(X), -(Y), -(Z)); \
        CROSS(next, next, I + odd, I + 1u - odd, last, at.cell, 1.0, X, Y, Z, W) \
        CROSS(last, at.cell, I + 1u - odd, I + odd, next, next, -1.0, X, Y, Z, W) \
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
