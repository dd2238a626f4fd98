// Outlines in pictures with one ray per pixel. The stage reads view.radiance with reach 1.

float brightness(vec3 light) {
    return dot(light, vec3(0.2126, 0.7152, 0.0722)) / (1.0 + dot(light, vec3(0.2126, 0.7152, 0.0722)));
}

// The radiance, blended across an edge by how sharp it is: the part of T. Lottes 2009, "FXAA", that treats single pixels (no
// search along the edge).
vec3 smooth_radiance(ivec2 pixel) {
    ivec2 last = view_size - 1;
    vec3 here = view_radiance(pixel);
    vec3 left = view_radiance(max(pixel - ivec2(1, 0), ivec2(0)));
    vec3 right = view_radiance(min(pixel + ivec2(1, 0), last));
    vec3 above = view_radiance(max(pixel - ivec2(0, 1), ivec2(0)));
    vec3 below = view_radiance(min(pixel + ivec2(0, 1), last));
    float m = brightness(here);
    vec4 around = vec4(brightness(left), brightness(right), brightness(above), brightness(below));
    float low = min(m, min(min(around.x, around.y), min(around.z, around.w)));
    float high = max(m, max(max(around.x, around.y), max(around.z, around.w)));
    float range = high - low;
    float off = abs(0.25 * (around.x + around.y + around.z + around.w) - m) / max(range, 1e-4);
    float blend = 0.6 * smoothstep(0.0, 1.0, off) * smoothstep(0.02, 0.06, range);
    return mix(here, 0.25 * (left + right + above + below), blend);
}
