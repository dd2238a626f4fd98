#version 460
#include "stage.glsl"

// Linear light to sRGB (IEC 61966-2-1) by E. Reinhard et al. 2002, "Photographic tone reproduction for digital images", equation 4:
// arg.white becomes white.
void stage(ivec2 pixel) {
    vec3 light = max(arg.exposure * view_radiance(pixel), vec3(0.0));
    vec3 mapped = light * (1.0 + light / (arg.white * arg.white)) / (1.0 + light);
    vec3 encoded = mix(12.92 * mapped, 1.055 * pow(mapped, vec3(1.0 / 2.4)) - 0.055, greaterThan(mapped, vec3(0.0031308)));
    set_view_color(pixel, vec4(clamp(encoded, 0.0, 1.0), 1.0));
}
