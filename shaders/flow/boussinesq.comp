#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.faces grid.heat rate
#pragma writes rate
#pragma arguments heat
#pragma argument int axis
#pragma reach grid_heat 1

// Boussinesq's buoyancy (Gray & Giorgini 1976, "The validity of the Boussinesq approximation for liquids and gases"): warm
// fluid rises. Adds arg.lift[axis] (heat - arg.neutral) to the rates at open faces; arg.lift is -gravity times the
// thermal expansion, m/(s^2 K).
STAGE_IN_SPACE {
    bool inside = cell[arg.axis] > 0 && cell[arg.axis] < space_size(grid_cells)[arg.axis];
    if (inside && (grid_faces(AT(cell)) >> (8 * arg.axis) & 255u) != 0u) {
        ivec3 low = cell;
        low[arg.axis] -= 1;
        float heat = 0.5 * (grid_heat(AT(low)) + grid_heat(AT(cell)));
        set_rate(AT(cell), rate(AT(cell)) + arg.lift[arg.axis] * (heat - arg.neutral));
    }
}
