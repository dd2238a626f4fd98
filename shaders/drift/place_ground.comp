#version 460
#include "stage.glsl"
#include "drift/ground.glsl"

#pragma reads ground.elevation ground.snow
#pragma writes grid.solid

// The height of each corner above the surface, the mean of its four columns, m: the solid that cuts the cells.
void stage(ivec3 node) {
    float low = height(node.xy - ivec2(1, 1)) + height(node.xy - ivec2(0, 1));
    float high = height(node.xy - ivec2(1, 0)) + height(node.xy);
    set_grid_solid(node, grid_solid_position(node).z - 0.25 * (low + high));
}
