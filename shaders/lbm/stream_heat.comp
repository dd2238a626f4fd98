#version 460
#include "stage.glsl"
#include "lbm/heat.glsl"

#pragma reads grid.g grid.cell_type grid.heat grid.u
#pragma writes grid.g grid.heat
#pragma arguments pace heat.neutral heat.even_rate heat.odd_rate
#pragma alternates grid_g last
#pragma reach grid_cell_type 1
#pragma reach grid_heat 1 0
#pragma keeps grid_heat grid_cell_type
#pragma workgroup 128 1 1

// One step of advected heat, like that of the fluid, with two relaxation times: the odd one sets the diffusivity
// (Ginzburg 2005, "Equilibrium-type and link-type lattice Boltzmann models for generic advection and anisotropic-dispersion
// equation"). Walls with a given temperature flip the sign of returning populations, others are adiabatic.
void reflect_heat(Around at, uint odd, inout float g[POPULATIONS]) {
#define BOUNCE(I, X, Y, Z, W) { \
        ivec3 next = beside(at, X, Y, Z), last = beside(at, -(X), -(Y), -(Z)); \
        uint next_word = grid_cell_type(AT(next)), last_word = grid_cell_type(AT(last)); \
        if (is_wall(next_word & TYPE)) { \
            float back = grid_g(AT(next), I + 1u - odd); \
            bool held = (next_word & HELD_HEAT) != 0u; \
            g[I + 1] = held ? 2.0 * W * (grid_heat(AT(next)) - arg.neutral) - back : back; \
        } \
        if (is_wall(last_word & TYPE)) { \
            float back = grid_g(AT(at.cell), I + odd); \
            bool held = (last_word & HELD_HEAT) != 0u; \
            g[I] = held ? 2.0 * W * (grid_heat(AT(last)) - arg.neutral) - back : back; \
        } \
    }
    EACH_PAIR(BOUNCE)
}

STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell)), type = word & TYPE;
    if (is_wall(type)) {
        return;
    }
    uint odd = clock.step & 1u;
    Around at = around(cell);
    float g[POPULATIONS];
    g[0] = grid_g(AT(cell), 0u);
#define LOAD(I, X, Y, Z, W) g[I] = grid_g(AT(cell), I + 1u - odd); g[I + 1] = grid_g(AT(beside(at, X, Y, Z)), I + odd);
    EACH_PAIR(LOAD)
    if ((word & BESIDE_WALL) != 0u) {
        reflect_heat(at, odd, g);
    }
    float excess = g[0];
#define ADD(I, X, Y, Z, W) excess += g[I] + g[I + 1];
    EACH_PAIR(ADD)
    float even_rate = arg.even_rate, odd_rate = arg.odd_rate;
    if (type != FLUID_CELL) {
        // Set boundaries to equilibrium at their given temperature, else at that of the outgoing populations.
        even_rate = odd_rate = 1.0;
        if ((word & HELD_HEAT) != 0u) {
            excess = grid_heat(AT(cell)) - arg.neutral;
        } else {
            vec3 out_of = OUTWARD(at);
            excess = g[0];
#define KNOWN(I, X, Y, Z, W) { \
                float way = along(X, Y, Z, out_of); \
                excess += (1.0 + way) * g[I] + (1.0 - way) * g[I + 1]; \
            }
            EACH_PAIR(KNOWN)
        }
    }
    float heat = arg.neutral + excess;
    set_grid_heat(AT(cell), heat);
    vec3 u = velocity(cell);
    set_grid_g(AT(cell), 0u, g[0] + even_rate * (REST * excess - g[0]));
#define COLLIDE(I, X, Y, Z, W) { \
        float even_part = even_rate * (W * excess - 0.5 * (g[I] + g[I + 1])); \
        float odd_part = odd_rate * (W * STIFFNESS * heat * along(X, Y, Z, u) - 0.5 * (g[I] - g[I + 1])); \
        set_grid_g(AT(beside(at, X, Y, Z)), I + odd, g[I] + even_part + odd_part); \
        set_grid_g(AT(cell), I + 1u - odd, g[I + 1] + even_part - odd_part); \
    }
    EACH_PAIR(COLLIDE)
}
