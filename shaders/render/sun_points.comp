#version 460
// One particle in the sun's picture, as a disc of arg.radius (m) that faces it.
#include "stage.glsl"
#include "lib/processor.glsl"
#include "render/points.glsl"

#pragma reads matter.position sun.near
#pragma writes sun.near
#pragma arguments camera.target sun.towards sun.extent look.radius
#pragma unordered sun_near

void stage(uint particle) {
    vec3 at = sun_place(sun_view(arg.towards), matter_position(particle), arg.target, arg.extent, sun_size);
    float radius = max(arg.radius / arg.extent * float(sun_size.x), 0.6);
    ivec2 low = max(ivec2(floor(at.xy - radius)), ivec2(0));
    ivec2 high = min(ivec2(floor(at.xy + radius)), sun_size - 1);
    for (int y = low.y; y <= high.y; y++) {
        for (int x = low.x; x <= high.x; x++) {
            vec2 from = vec2(x, y) + 0.5 - at.xy;
            if (dot(from, from) <= radius * radius) {
                uint key = point_key(at.z, 2.0 * arg.extent, 0.0);
                if (!ON_PROCESSOR || key < sun_near(ivec2(x, y))) {
                    min_sun_near(ivec2(x, y), key);
                }
            }
        }
    }
}
