// Colours for values, already sRGB-encoded.

// 0 to 1 in the order of brightness: M. Zucker's polynomial fit to viridis (Smith & van der Walt 2015).
vec3 viridis(float t) {
    t = clamp(t, 0.0, 1.0);
    const vec3 c0 = vec3(0.2777273272, 0.0054073445, 0.3340998053);
    const vec3 c1 = vec3(0.1050930431, 1.4046135299, 1.3845901626);
    const vec3 c2 = vec3(-0.3308618287, 0.2148475595, 0.0950951630);
    const vec3 c3 = vec3(-4.6342304990, -5.7991009734, -19.3324409563);
    const vec3 c4 = vec3(6.2282699363, 14.1799333668, 56.6905526007);
    const vec3 c5 = vec3(4.7763849977, -13.7451453777, -65.3530326334);
    const vec3 c6 = vec3(-5.4354558559, 4.6458526122, 26.3124352496);
    return c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * (c5 + t * c6)))));
}

// As linear light.
vec3 viridis_light(float t) {
    return pow(max(viridis(t), vec3(0.0)), vec3(2.2));
}

// -1 to 1 from blue over grey to red, after Moreland 2009, "Diverging Color Maps for Scientific Visualization".
vec3 diverging(float t) {
    t = clamp(t, -1.0, 1.0);
    const vec3 middle = vec3(0.865, 0.865, 0.865);
    vec3 end = t < 0.0 ? vec3(0.230, 0.299, 0.754) : vec3(0.706, 0.016, 0.150);
    return mix(middle, end, abs(t));
}
