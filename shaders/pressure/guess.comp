#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.faces grid.plain grid.p
#pragma writes grid.p grid.d
#pragma arguments warm_start

// The first guess of the pressure: arg.warm_start times the last one in fluid, 0 elsewhere. No direction has been searched: d
// is 0 where stages may read it before they write it.
STAGE_IN_SPACE {
    bool plain = (MARKS(cell) & PLAIN_CELL) != 0u;
    if (!plain) {
        set_grid_d(AT(cell), 0.0);
    }
    if (!plain || arg.warm_start != 1.0) {
        set_grid_p(AT(cell), is_fluid(grid_faces(AT(cell))) && arg.warm_start != 0.0 ? arg.warm_start * grid_p(AT(cell)) : 0.0);
    }
}
