// Sky and haze. Colours are linear radiance (1 = white paper in open shade).

struct Weather {
    vec3 sun;           // unit, towards the sun
    vec3 sun_light;     // irradiance of a patch that faces the sun, over pi
    vec3 horizon;       // radiance of the haze, and so of the sky at the horizon
    vec3 zenith;        // radiance of the cloud overhead
    float haze;         // extinction at height `haze_base`, 1/m
    float haze_height;  // m over which the haze thins by e
    float haze_base;    // m
};

// Light that the haze scatters towards the eye: the horizon's, brighter around the sun (a broad forward lobe).
vec3 haze_light(Weather w, vec3 ray) {
    float towards = max(dot(ray, w.sun), 0.0);
    return w.horizon + w.sun_light * (0.10 * pow(towards, 4.0) + 0.10 * pow(towards, 24.0));
}

// Share of light that passes `run` metres of exponential haze from `eye` along `ray`: the optical depth is
// haze exp(-(z - base)/H) run (1 - e^-x)/x with x = ray.z run / H.
float haze_passed(Weather w, vec3 eye, vec3 ray, float run) {
    float density = w.haze * exp(-(eye.z - w.haze_base) / w.haze_height);
    float x = ray.z * run / w.haze_height;
    float shape = abs(x) < 1e-3 ? 1.0 - 0.5 * x : (1.0 - exp(-max(x, -60.0))) / x;
    return exp(-min(density * run * shape, 80.0));
}

// Overcast: cloud lit from above, seen through all the haze along the ray, which near the horizon is everything. So sky
// and distant ground meet in one colour.
vec3 sky_light(Weather w, vec3 eye, vec3 ray) {
    vec3 haze = haze_light(w, ray);
    if (ray.z <= 0.0) {
        return haze;
    }
    // Clouds on a plane overhead, drawn out along the horizon; octaves fade out where they shrink to a pixel.
    vec2 p = ray.xy / (ray.z + 0.15);
    float cloud = fractal_noise(vec3(p, 7.5), 1.1, 0.003 / (ray.z + 0.15), 6, 0.55, 11u).x;
    float thick = smoothstep(0.3, 0.72, cloud);
    float towards = max(dot(ray, w.sun), 0.0);
    vec3 body = mix(w.horizon, w.zenith, smoothstep(0.0, 0.5, ray.z)) * mix(1.35, 0.7, thick);
    body += w.sun_light * (0.20 * pow(towards, 6.0) + 0.35 * pow(towards, 60.0)) * (1.2 - thick);
    float density = w.haze * exp(-(eye.z - w.haze_base) / w.haze_height);
    float passed = exp(-min(density * w.haze_height / ray.z, 80.0));
    return mix(haze, body, passed);
}
