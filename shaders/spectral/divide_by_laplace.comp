#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "spectral/phases.glsl"

#pragma reads grid.p
#pragma writes grid.p
#pragma arguments sides
#pragma argument ivec3 low
#pragma argument ivec3 high

// The waves of a transform with "sides" are eigenvectors of -h^2 times the discrete Laplacian. A phase of a per
// cell gives the eigenvalue 4 sin(a / 2)^2 along an axis. Without open sides the mean has the eigenvalue 0, and stays 0.
STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    float eigenvalue = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        float half_way = sin(0.5 * phase(cell[axis], size[axis], arg.low[axis], arg.high[axis]));
        eigenvalue += 4.0 * half_way * half_way;
    }
    set_grid_p(AT(cell), eigenvalue > 0.0 ? grid_p(AT(cell)) / eigenvalue : 0.0);
}
