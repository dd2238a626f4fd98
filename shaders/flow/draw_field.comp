#version 460
#include "stage.glsl"
#include "render/colormaps.glsl"
#include "pressure/cell_types.glsl"

#pragma reads grid.field grid.cell_type
#pragma writes view.color
#pragma arguments range

// A field of a 2-D grid in colours; solid cells are dark. The grid fills the image, y up. Between the centres of cells the
// field is a cubic through them (Catmull & Rom 1974), so that cells do not show.

float value_at(ivec2 cell) {
    return grid_field(clamp(cell, ivec2(0), grid_cells - 1));
}

vec4 weights(float t) {
    float t2 = t * t, t3 = t2 * t;
    return 0.5 * vec4(-t3 + 2.0 * t2 - t, 3.0 * t3 - 5.0 * t2 + 2.0, -3.0 * t3 + 4.0 * t2 + t, t3 - t2);
}

void stage(ivec2 pixel) {
    vec2 part = (vec2(pixel) + 0.5) / vec2(view_size);
    vec2 at = vec2(part.x, 1.0 - part.y) * vec2(grid_cells);
    ivec2 low = ivec2(floor(at - 0.5));
    vec4 across = weights(at.x - 0.5 - float(low.x)), up = weights(at.y - 0.5 - float(low.y));
    float sum = 0.0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++) {
            sum += across[i] * up[j] * value_at(low + ivec2(i - 1, j - 1));
        }
    }
    float share = (sum - arg.range.x) / (arg.range.y - arg.range.x);
    vec3 color = arg.both_signs != 0.0 ? diverging(2.0 * share - 1.0) : viridis(share);
    // Solids of all kinds, without their marks.
    bool solid = (grid_cell_type(clamp(ivec2(floor(at)), ivec2(0), grid_cells - 1)) & 6u) == SOLID_CELL;
    set_view_color(pixel, vec4(solid ? vec3(0.13, 0.14, 0.16) : color, 1.0));
}
