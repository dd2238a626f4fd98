#version 460
#include "stage.glsl"
#include "drift/ground.glsl"

#pragma reads ground.elevation ground.snow body.shape
#pragma writes grid.solid
#pragma reach ground_elevation 1
#pragma reach ground_snow 1

// The height of each corner above the surface, the mean of its four columns, m: the solid that cuts the cells. Obstacles join
// it; `body.shape` is 1 in them and falls to 0 over about two cells of its grid. A corner on their surface is inside, however it
// rounds, and so is one on their edges, where `body.shape` is 0.25, and 0.125 where three edges meet: a corner beside the inside.
// Else cells along sharp edges would be open, and the wind would not separate there.
void stage(ivec3 node) {
    float low = height(node.xy - ivec2(1, 1)) + height(node.xy - ivec2(0, 1));
    float high = height(node.xy - ivec2(1, 0)) + height(node.xy);
    vec3 place = grid_solid_position(node);
    float above = place.z - 0.25 * (low + high);
#if HAS_body_shape
    float shape = sample_body_shape(place);
    for (int k = 0; k < 8; k++) {
        vec3 aside = body_dx * (vec3(k & 1, k >> 1 & 1, k >> 2) * 2.0 - 1.0);
        shape = sample_body_shape(place + aside) > 0.45 ? max(shape, 0.5) : shape;
    }
    above = min(above, 2.0 * body_dx * (0.499 - shape));
#endif
    set_grid_solid(node, above);
}
