#version 460
#include "stage.glsl"
#include "lbm/cells.glsl"

// Vortices as smoke, by the Q criterion (Hunt, Wray & Moin 1988, "Eddies, streams, and convergence zones in turbulent flows"): Q is
// half the square of the rotation less that of the strain, 1/s^2; the density goes from 0 where it is arg.weakest to 1 where it is
// arg.strongest. `heat` is the speed over arg.fastest. There are no vortices at the border and beside walls.
void stage(ivec3 cell) {
    float density = 0.0, heat = 0.0;
    bool inside = all(greaterThan(cell, ivec3(1))) && all(lessThan(cell, grid_cells - 2));
    if (inside && (grid_cell_type(cell) & (TYPE | BESIDE_WALL)) == FLUID_CELL) {
        // Column a is half the difference of the velocity along axis a.
        mat3 change = mat3(grid_u(cell + ivec3(1, 0, 0)) - grid_u(cell - ivec3(1, 0, 0)),
                           grid_u(cell + ivec3(0, 1, 0)) - grid_u(cell - ivec3(0, 1, 0)),
                           grid_u(cell + ivec3(0, 0, 1)) - grid_u(cell - ivec3(0, 0, 1)));
        // Where div u = 0, Q is minus half the trace of the square of the gradient.
        mat3 square = change * change;
        float q = -0.125 * (square[0][0] + square[1][1] + square[2][2]) / (grid_dx * grid_dx);
        density = clamp((q - arg.weakest) / (arg.strongest - arg.weakest), 0.0, 1.0);
        heat = min(length(grid_u(cell)) / arg.fastest, 1.0);
    }
    set_grid_density(cell, density);
    set_grid_heat(cell, heat);
}
