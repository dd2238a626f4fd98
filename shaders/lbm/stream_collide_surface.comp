#version 460
#include "stage.glsl"
#include "lbm/surface.glsl"
#define FREE_SURFACE

// No flow in an interface cell is faster, cells a step: single drops, which nothing slows down, would otherwise become too fast.
const float FASTEST = 0.4;

vec3 acceleration(ivec3 cell) {
    return arg.acceleration;
}

// An interface cell takes its parts of the masses that neighbours give away, and its mass and density say whether it fills or
// empties. One without another interface cell beside it ends as what surrounds it. Beside an inflow or outflow, which cannot become
// interface, nothing empties.
void settle(Around at, uint word, float rho, inout vec3 momentum) {
    float mass = grid_mass(AT(at.cell));
    bool fluid = false, gas = false, surface = false, open = false;
#define VISIT(CELL) { \
        uint other = grid_cell_type(AT(CELL)); \
        if (gives(other)) mass += grid_mass(AT(CELL)); \
        if (is_interface(other)) surface = true; \
        else if ((other & TYPE) == GAS_CELL) gas = true; \
        else if (!is_wall(other & TYPE)) fluid = true; \
        open = open || (other & TYPE) > BODY_CELL; \
    }
    EACH_NEIGHBOUR
#undef VISIT
    word &= ~(FILLS | EMPTIES);
    if (mass > (1.0 + SLACK) * rho || (!surface && !gas)) {
        word |= FILLS;
    } else if (!open && (mass < -SLACK * rho || (!surface && !fluid))) {
        word |= EMPTIES;
    }
    set_grid_cell_type(AT(at.cell), word);
    set_grid_mass(AT(at.cell), mass);
    set_grid_fill(AT(at.cell), clamp(mass / rho, 0.0, 1.0));
    momentum *= min(1.0, FASTEST * rho / max(length(momentum), 1e-9));
}

#include "lbm/stream_collide.glsl"
