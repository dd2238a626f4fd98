#version 460
#include "stage.glsl"

#pragma reads body.shape
#pragma writes scene.roof

// The height of the highest obstacle at a vertex, m; far below without one.
void stage(ivec2 vertex) {
    vec2 place = scene_origin + vec2(vertex) * scene_spacing;
    float roof = body_origin.z + float(body_cells.z) * body_dx;
    while (roof > body_origin.z && sample_body_shape(vec3(place, roof)) < 0.5) {
        roof -= 0.25 * body_dx;
    }
    set_scene_roof(vertex, roof > body_origin.z ? roof : -1e9);
}
