// From linear light to pictures.
#include "render/hash.glsl"

// IEC 61966-2-1.
vec3 encode_srgb(vec3 x) {
    return mix(12.92 * x, 1.055 * pow(max(x, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055, greaterThan(x, vec3(0.0031308)));
}

// E. Reinhard et al. 2002, "Photographic tone reproduction for digital images", equation 4: `white` becomes white.
vec3 reinhard(vec3 light, float white) {
    return light * (1.0 + light / (white * white)) / (1.0 + light);
}

// K. Narkowicz 2015, "ACES Filmic Tone Mapping Curve".
vec3 filmic(vec3 x) {
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

// sRGB to 8 bits. Noise of one level hides the steps of slow gradients; it is equal in every frame, so it does not shimmer.
vec4 dithered(vec3 encoded, ivec2 pixel) {
    return vec4(clamp(encoded + (hash_unit(pixel, 91u) - 0.5) / 255.0, 0.0, 1.0), 1.0);
}
