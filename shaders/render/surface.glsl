// The surface that is seen: terrain plus snow, bilinear between the vertices of `ground`.
// The stage reads ground.elevation (m) and ground.snow (units) and has an argument `snow_unit` (m per unit).

float surface_height(ivec2 vertex) {
    return ground_elevation(vertex) + float(ground_snow(vertex)) * arg.snow_unit;
}

// Beyond its border the ground continues as its mirror image, so the view has no edge: a vertex index up to one period
// outside is reflected, and one further out is clamped to the border.
ivec2 surface_fold(ivec2 vertex) {
    ivec2 last = ground_vertices - 1;
    return clamp(last - abs(last - abs(vertex)), ivec2(0), last);
}

// Bilinear height (m) at `p`, in vertices.
float surface_between(vec2 p) {
    ivec2 v = clamp(ivec2(floor(p)), ivec2(0), ground_vertices - 2);
    vec2 f = p - vec2(v);
    float low = mix(surface_height(v), surface_height(v + ivec2(1, 0)), f.x);
    float high = mix(surface_height(v + ivec2(0, 1)), surface_height(v + ivec2(1, 1)), f.x);
    return mix(low, high, f.y);
}
