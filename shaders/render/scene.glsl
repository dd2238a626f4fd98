// The surroundings of the surface: sky, a checkered ground, an opaque body, and the light on them. Linear light. Needs isosurface.glsl.
#include "render/sky.glsl"

layout(constant_id = 0) const int SHADING = 0;
const int OPAQUE = 0;
const int WATER = 1;
const int NORMALS = 2;

Meeting meet_body(vec3 eye, vec3 ray, float reach) {
#if HAS_body_shape
    return meet(SOLID, eye, ray, true, reach);
#else
    return Meeting(NO_HIT, vec3(0.0), vec3(0.0));
#endif
}

// The share of sunlight that reaches a position. Opaque objects cast a shadow; water transmits arg.shade of the
// light.
vec3 sunlight(vec3 place, bool outside) {
    vec3 sun = normalize(arg.towards);
    if (sun.z <= 0.0 || meet_body(place, sun, NO_HIT).run < NO_HIT) {
        return vec3(0.0);
    }
    float run = meet(LIQUID, place, sun, outside, NO_HIT).run;
    if (run == NO_HIT) {
        return vec3(1.0);
    }
    return SHADING != WATER ? vec3(0.0) : outside ? vec3(arg.shade) : exp(-arg.absorption * run);
}

// Light from a matt surface with a little gloss.
vec3 matt_light(vec3 color, vec3 normal, vec3 ray, vec3 sunny) {
    vec3 sun = normalize(arg.towards);
    vec3 diffuse = arg.ambient * (0.65 + 0.35 * normal.z) + arg.sun_light * sunny * max(dot(normal, sun), 0.0);
    float highlight = pow(max(dot(normal, normalize(sun - ray)), 0.0), 60.0);
    return color * diffuse + arg.gloss * arg.sun_light * sunny * highlight;
}

float ground_run(vec3 eye, vec3 ray) {
    return ray.z < 0.0 && eye.z > arg.height ? (arg.height - eye.z) / ray.z : NO_HIT;
}

// The ground fades into the horizon with the distance from arg.target.
vec3 ground_light(vec3 place, vec3 ray, vec3 sunny) {
    ivec2 tile = ivec2(floor(place.xy / arg.tile));
    vec3 color = ((tile.x + tile.y) & 1) == 0 ? arg.light_tile : arg.dark_tile;
    float away = length(place.xy - arg.target.xy) / arg.fade;
    vec3 light = color * (arg.ambient + arg.sun_light * sunny * max(normalize(arg.towards).z, 0.0));
    return mix(sky_light(normalize(vec3(ray.xy, 0.02))), light, exp(-away * away));
}

// Ground or sky in a direction, whatever is in between.
vec3 surroundings(vec3 place, vec3 ray) {
    float run = ground_run(place, ray);
    return run < NO_HIT ? ground_light(place + run * ray, ray, vec3(1.0)) : sky_light(ray);
}
