#version 460
#include "stage.glsl"
#include "render/number.glsl"

#pragma reads grid.value
#pragma reduces min least
#pragma reduces max most

// Least and greatest finite value of a grid.
void stage(ivec3 cell) {
    float v = number(grid_value(index_like(grid_cells, cell)));
    if (!isnan(v) && !isinf(v)) {
        min_least(v);
        max_most(v);
    }
}

void stage(ivec2 cell) {
    stage(ivec3(cell, 0));
}
