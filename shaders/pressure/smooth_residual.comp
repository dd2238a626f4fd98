#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"

#pragma reads grid.faces grid.relative_density grid.r
#pragma writes grid.z
#pragma arguments damping

// The first smoothing of a cycle, from z = 0: z = omega r / diagonal.

STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    float own = diagonal(coefficients(word, cell, space_size(grid_cells)));
    set_grid_z(AT(cell), is_fluid(word) && own > 0.0 ? arg.damping * grid_r(AT(cell)) / own : 0.0);
}
