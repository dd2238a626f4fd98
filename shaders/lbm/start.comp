#version 460
#include "stage.glsl"
#include "lbm/populations.glsl"

#pragma reads grid.rho grid.u
#pragma writes grid.f
#pragma arguments pace
#pragma reach grid_f 1

// The populations of a fluid in equilibrium with its density and velocity, where the first step looks for them: as an odd step
// leaves them behind.
STAGE_IN_SPACE {
    Around at = around(cell);
    vec3 u = held_velocity(cell);
    float rho = grid_rho(AT(cell)), rest = rho - 1.0 - 1.5 * rho * dot(u, u);
    set_grid_f(AT(cell), 0u, SCALE * REST * rest);
#define PLACE(I, X, Y, Z, W) { \
        float cu = along(X, Y, Z, u); \
        set_grid_f(AT(beside(at, X, Y, Z)), I + 1u, SCALE * W * (rest + rho * (4.5 * cu * cu + 3.0 * cu))); \
        set_grid_f(AT(cell), I, SCALE * W * (rest + rho * (4.5 * cu * cu - 3.0 * cu))); \
    }
    EACH_PAIR(PLACE)
}
