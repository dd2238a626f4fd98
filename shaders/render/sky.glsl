// Sky in every direction, from the picture sky.radiance: longitude and latitude in equal steps, columns from -180 to 180 degrees
// about the vertical axis with x in the middle, rows from the zenith down. The stage has the arguments `towards` (to the sun, any
// length), sun_light and sun_size (angle from the middle to the edge of the sun, degrees).

vec3 sky_pixel(ivec2 at) {
    at.x = (at.x + sky_size.x) % sky_size.x;
    return sky_radiance(ivec2(at.x, clamp(at.y, 0, sky_size.y - 1)));
}

vec3 sky_light(vec3 ray) {
    const float PI = 3.14159265;
    vec2 angles = vec2(0.5 + atan(ray.y, ray.x) / (2.0 * PI), acos(clamp(ray.z, -1.0, 1.0)) / PI);
    vec2 at = angles * vec2(sky_size) - 0.5;
    ivec2 low = ivec2(floor(at));
    vec2 f = at - vec2(low);
    vec3 light = mix(mix(sky_pixel(low), sky_pixel(low + ivec2(1, 0)), f.x),
                     mix(sky_pixel(low + ivec2(0, 1)), sky_pixel(low + ivec2(1, 1)), f.x), f.y);
    // The sun sends sun_light times pi to a patch that faces it, from a disc of this solid angle over pi.
    float radius = radians(arg.sun_size), cosine = dot(ray, normalize(arg.towards));
    float disc = smoothstep(cos(1.1 * radius), cos(0.9 * radius), cosine);
    return light + disc * arg.sun_light / (radius * radius);
}
