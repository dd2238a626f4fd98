#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "spectral/waves.glsl"

// The waves of a transform with "sides" are eigenvectors of -h^2 times Laplace's operator: its eigenvalue along an axis is
// 2 - 2 cos(a) = 4 sin(a / 2)^2, where a is the phase from a cell to the next. Between n cells, number k has a = pi k / n if both
// sides are closed, pi (k + 1) / (n + 1) if both are open, pi (2 k + 1) / (2 n + 1) if one is, and 2 pi k / n if the axis is
// periodic. The mean has eigenvalue 0 where no side is open: it stays 0.

float phase(int k, int n, int low, int high) {
    return low == 2 ? TURN * float(k) / float(n) : 0.5 * TURN * float(2 * k + low + high) / float(2 * n + low + high);
}

STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    float eigenvalue = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        float half_way = sin(0.5 * phase(cell[axis], size[axis], arg.low[axis], arg.high[axis]));
        eigenvalue += 4.0 * half_way * half_way;
    }
    set_grid_p(AT(cell), eigenvalue > 0.0 ? grid_p(AT(cell)) / eigenvalue : 0.0);
}
