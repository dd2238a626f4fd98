#version 460
#include "stage.glsl"
#include "render/camera.glsl"

#pragma reads matter.position path.place
#pragma writes view.light
#pragma arguments camera.up camera.fov star

// The light of a point on the picture: a Gaussian with the standard deviation arg.blur (pixels), as in a telescope, in units of
// 1 / 1024 of the light of a star. Integers, so that the sum does not depend on the order.
void stage(uint i) {
    Camera camera = camera_towards(path_place(0u), path_place(1u), arg.up, arg.fov, view_size);
    vec3 place = camera_view(camera, matter_position(i));
    if (place.z <= 0.0) {
        return;
    }
    vec2 at = camera_project(camera, place);
    float whole = 1024.0 / (6.2831853 * arg.blur * arg.blur);
    ivec2 low = max(ivec2(floor(at - 3.0 * arg.blur)), ivec2(0)), high = min(ivec2(floor(at + 3.0 * arg.blur)), view_size - 1);
    for (int y = low.y; y <= high.y; y++) {
        for (int x = low.x; x <= high.x; x++) {
            vec2 from = (vec2(x, y) + 0.5 - at) / arg.blur;
            add_view_light(ivec2(x, y), uint(whole * exp(-0.5 * dot(from, from)) + 0.5));
        }
    }
}
