#version 460
#include "stage.glsl"
#include "render/number.glsl"

// Least and greatest finite value of a grid, as whole numbers of the same order. Each invocation takes every n-th cell, so that
// the two atomics are rare.

void stage(uint i) {
    ivec3 cells = in_space(grid_cells);
    uint rows = uint(cells.y * cells.z), least = 0xffffffffu, most = 0u;
    for (uint row = i; row < rows; row += uint(arg.invocations)) {
        for (int x = 0; x < cells.x; x++) {
            float v = number(grid_value(index_like(grid_cells, ivec3(x, row % uint(cells.y), row / uint(cells.y)))));
            if (!isnan(v) && !isinf(v)) {
                least = min(least, ordered(v));
                most = max(most, ordered(v));
            }
        }
    }
    min_found(0u, least);
    max_found(1u, most);
}
