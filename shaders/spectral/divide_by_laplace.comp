#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "spectral/waves.glsl"

// The cosine with number k along an axis of n cells is an eigenvector of -h^2 times Laplace's operator in a closed box, with the
// eigenvalue 2 - 2 cos(pi k / n) = 4 sin(pi k / 2n)^2. The mean has eigenvalue 0: it stays 0.
STAGE_IN_SPACE {
    vec3 size = vec3(space_size(grid_cells));
    vec3 half_way = sin(0.25 * TURN * vec3(cell) / size);
    float eigenvalue = 4.0 * dot(half_way, half_way);
    set_grid_p(AT(cell), eigenvalue > 0.0 ? grid_p(AT(cell)) / eigenvalue : 0.0);
}
