#version 460
#include "stage.glsl"

#pragma reads grid.u
#pragma writes lines.start lines.end lines.tint

// The twelve edges of a grid's box, without a tint, as lines 0 to 11. Four run along each axis.
void stage(uint edge) {
    uint axis = edge / 4u;
    vec3 low = vec3(0.0);
    low[(axis + 1u) % 3u] = float(edge & 1u);
    low[(axis + 2u) % 3u] = float(edge >> 1 & 1u);
    vec3 high = low;
    high[axis] = 1.0;
    vec3 size = vec3(grid_cells) * grid_spacing;
    set_lines_start(edge, grid_origin + low * size);
    set_lines_end(edge, grid_origin + high * size);
    set_lines_tint(edge, -1.0);
}
