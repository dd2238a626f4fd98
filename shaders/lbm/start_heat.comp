#version 460
#include "stage.glsl"
#include "lbm/heat.glsl"

#pragma reads grid.heat grid.u
#pragma writes grid.g
#pragma arguments pace heat.neutral
#pragma reach grid_g 1

// The populations of heat that the fluid carries, in equilibrium, where the first step looks for them.
STAGE_IN_SPACE {
    Around at = around(cell);
    vec3 u = velocity(cell);
    float heat = grid_heat(AT(cell)), excess = heat - arg.neutral;
    set_grid_g(AT(cell), 0u, REST * excess);
#define PLACE(I, X, Y, Z, W) { \
        float carried = STIFFNESS * heat * along(X, Y, Z, u); \
        set_grid_g(AT(beside(at, X, Y, Z)), I + 1u, W * (excess + carried)); \
        set_grid_g(AT(cell), I, W * (excess - carried)); \
    }
    EACH_PAIR(PLACE)
}
