#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

#pragma reads grid.rho grid.faces
#pragma writes grid.relative_density
#pragma reduces count no_density
#pragma arguments reference

// The density of each cell of fluid over arg.reference, as the bits of a float, and 0 elsewhere. A density that is not a
// positive number is counted and replaced by the reference density.
STAGE_IN_SPACE {
    bool fluid = is_fluid(grid_faces(AT(cell)));
    float rho = grid_rho(AT(cell)) / arg.reference;
    bool wrong = !(rho > 0.0) || isinf(rho);
    count_no_density(fluid && wrong);
    set_grid_relative_density(AT(cell), fluid ? floatBitsToUint(wrong ? 1.0 : rho) : 0u);
}
