// Colours of numbers, sRGB-encoded: entry floor(256 t) of a map, as matplotlib has it. Below 0 and above 1 the ends; NaN is black.
#include "render/color_tables.glsl"
#include "render/tone.glsl"

vec3 color_of(int map, float t) {
    if (isnan(t)) {
        return vec3(0.0);
    }
    uint word = color_entry(map, clamp(int(floor(256.0 * clamp(t, 0.0, 1.0))), 0, 255));
    return vec3(word >> 16 & 255u, word >> 8 & 255u, word & 255u) / 255.0;
}

// IEC 61966-2-1.
vec3 light_of(vec3 color) {
    return mix(color / 12.92, pow((color + 0.055) / 1.055, vec3(2.4)), greaterThan(color, vec3(0.04045)));
}

vec3 encoded_light(vec3 light) {
    return encode_srgb(clamp(light, 0.0, 1.0));
}
