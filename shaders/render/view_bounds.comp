#version 460
#extension GL_EXT_control_flow_attributes : require
// Greatest height of the surface over each block of cells, border vertices included, with the trees
// on it, and the summit of all.
// The summit is a bound that is never lowered: it only ends rays that are above everything, so it need not be tight.
#include "stage.glsl"
#include "render/surface.glsl"
#include "render/noise.glsl"
#include "render/forest.glsl"
#include "render/blocks.glsl"
#include "render/summit.glsl"

#pragma reads ground.elevation ground.snow ground.forest
#pragma writes blocks.top summit
#pragma arguments snow_unit look.tree_height

void stage(ivec2 block) {
    ivec2 first = min(block * block_cells(), ground_vertices - 1);
    ivec2 last = min(first + block_cells(), ground_vertices - 1);
    float top = surface_height(first);
    float densest = 0.0;
    for (int y = first.y; y <= last.y; ++y) {
        for (int x = first.x; x <= last.x; ++x) {
            top = max(top, surface_height(ivec2(x, y)));
            densest = max(densest, ground_forest(ivec2(x, y)));
        }
    }
    top += densest > 0.0 ? TREE_TALLEST * arg.tree_height : 0.0;
    set_blocks_top(block, top);
    max_summit(0u, summit_code(top));
}
