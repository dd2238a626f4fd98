#version 460
#include "stage.glsl"
#include "lbm/surface.glsl"
#define FREE_SURFACE

// What the density of an interface cell without gas beside it loses in a step at most.
const float DRAIN = 0.01;
// No flow in an interface cell is faster, cells a step: drops of few cells, which nothing slows down, would become too fast.
const float FASTEST = 0.4;

vec3 acceleration(ivec3 cell) {
    return arg.acceleration;
}

// An interface cell takes its parts of the masses that neighbours give away; then its mass and density say whether it fills or empties.
// Without gas beside it, it is a bubble, which collapses: its density sinks until it fills, and draws fluid in. Without fluid beside
// it, it cannot fall and empties. Beside an inflow or outflow, which cannot become interface, nothing empties.
void settle(Around at, uint word, inout float f[POPULATIONS]) {
    float mass = grid_mass(AT(at.cell));
    bool fluid = false, gas = false, open = false;
#define VISIT(CELL) { \
        uint other = grid_cell_type(AT(CELL)), other_type = other & TYPE; \
        if (gives(other)) mass += grid_mass(AT(CELL)); \
        fluid = fluid || (!is_idle(other_type) && !is_interface(other)); \
        gas = gas || other_type == GAS_CELL; \
        open = open || other_type > BODY_CELL; \
    }
    EACH_NEIGHBOUR
#undef VISIT
    float rho = 1.0 + f[0];
    vec3 momentum = vec3(0.0);
#define ADD_TO_CELL(I, X, Y, Z, W) rho += f[I] + f[I + 1]; momentum += (f[I] - f[I + 1]) * vec3(X, Y, Z);
    EACH_PAIR(ADD_TO_CELL)
    float less = gas ? 0.0 : clamp(rho - mass, 0.0, DRAIN);
    vec3 slower = momentum * min(0.0, FASTEST * rho / max(length(momentum), 1e-9) - 1.0);
    rho -= less;
    f[0] -= REST * less;
#define CHANGE(I, X, Y, Z, W) { \
        float change = 3.0 * along(X, Y, Z, slower); \
        f[I] += W * (change - less); \
        f[I + 1] -= W * (change + less); \
    }
    EACH_PAIR(CHANGE)
    word &= ~(FILLS | EMPTIES);
    if (mass > (gas ? 1.0 + SLACK : 1.0) * rho) {
        word |= FILLS;
    } else if (!open && (!fluid || mass < -SLACK * rho)) {
        word |= EMPTIES;
    }
    set_grid_cell_type(AT(at.cell), word);
    set_grid_mass(AT(at.cell), mass);
    set_grid_fill(AT(at.cell), clamp(mass / rho, 0.0, 1.0));
}

#include "lbm/stream_collide.glsl"
