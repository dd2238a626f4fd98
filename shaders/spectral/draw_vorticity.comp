#version 460
#include "stage.glsl"

#pragma reads box.x box.y box.z
#pragma writes view.color
#pragma arguments bright

// The greatest vorticity along lines of sight through the box, in an oblique projection, as light.
vec3 vorticity(vec3 at) {
    ivec3 cell = ivec3(floor(at));
    return vec3(box_x(cell), box_y(cell), box_z(cell));
}

void stage(ivec2 pixel) {
    int n = box_cells.x;
    vec2 part = (vec2(pixel) + 0.5) / vec2(view_size);
    // The front face is at the lower left, the depth axis points to the upper right.
    const float DEEP = 0.22;
    float most = 0.0, sum = 0.0;
    for (int step = 0; step < n; step++) {
        float depth = (float(step) + 0.5) / float(n);
        vec2 at = (vec2(part.x, 1.0 - part.y) - DEEP * depth) / (1.0 - DEEP);
        if (all(greaterThanEqual(at, vec2(0.0))) && all(lessThan(at, vec2(1.0)))) {
            vec3 omega = vorticity(vec3(at.x, depth, at.y) * float(n));
            float strength = sqrt(dot(omega, omega)) / arg.bright * (1.0 - 0.5 * depth);
            most = max(most, strength);
            sum += strength / float(n);
        }
    }
    float light = most * most;
    vec3 color = vec3(0.015, 0.02, 0.035) + sum * vec3(0.1, 0.22, 0.45) + light * vec3(1.0, 0.62, 0.28);
    set_view_color(pixel, vec4(pow(color / (1.0 + 0.6 * color), vec3(1.0 / 2.2)), 1.0));
}
