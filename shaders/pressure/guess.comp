#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

#pragma reads grid.faces grid.p
#pragma writes grid.p grid.d
#pragma arguments warm_start

// The first guess of the pressure: arg.warm_start times the last one in fluid, 0 elsewhere. No direction has been searched.
STAGE_IN_SPACE {
    set_grid_p(AT(cell), is_fluid(grid_faces(AT(cell))) && arg.warm_start != 0.0 ? arg.warm_start * grid_p(AT(cell)) : 0.0);
    set_grid_d(AT(cell), 0.0);
}
