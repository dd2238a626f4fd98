#version 460
#include "stage.glsl"

#pragma writes sky.radiance
#pragma arguments sun sky

// A clear sky (render/sky.glsl has its directions): arg.zenith and arg.horizon, and a glow of arg.glow round the sun. Linear light.
void stage(ivec2 pixel) {
    const float PI = 3.14159265;
    vec2 part = (vec2(pixel) + 0.5) / vec2(sky_size);
    float across = (2.0 * part.x - 1.0) * PI, down = part.y * PI;
    vec3 ray = vec3(sin(down) * cos(across), sin(down) * sin(across), cos(down));
    float towards = max(dot(ray, normalize(arg.towards)), 0.0);
    vec3 light = mix(arg.horizon, arg.zenith, smoothstep(0.0, 1.0, pow(max(ray.z, 0.0), 0.6)));
    set_sky_radiance(pixel, light + arg.glow * (0.3 * pow(towards, 8.0) + pow(towards, 60.0)));
}
