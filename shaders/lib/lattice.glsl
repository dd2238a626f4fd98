// Linear interpolation on lattices. Accessors of the generated interface never clamp, so these do: a point
// outside the lattice takes the value of the nearest point on its border.
// CPU twin: tests/reference/lattice.rs.
#ifndef LIB_LATTICE
#define LIB_LATTICE

// The lower corner of the lattice square or cube that contains `at`. It is also clamped as integers, so that a NaN
// coordinate reads inside the lattice (and gives NaN) for every result of clamp().
ivec2 lattice_corner(vec2 at, ivec2 points) {
    return clamp(ivec2(floor(at)), ivec2(0), points - 2);
}

// In three dimensions.
ivec3 lattice_corner(vec3 at, ivec3 points) {
    return clamp(ivec3(floor(at)), ivec3(0), points - 2);
}

// a + t (b - a): exact at t = 0, exact for a = b, and one rounding fewer than mix().
float linear(float a, float b, float t) {
    return a + t * (b - a);
}

// Defines `float NAME(vec2 at)`: bilinear in FIELD(ivec2), a lattice of POINTS points, at least 2 along each
// axis.
#define DEFINE_BILINEAR(NAME, FIELD, POINTS) \
float NAME(vec2 at) { \
    at = clamp(at, vec2(0.0), vec2(POINTS - 1)); \
    ivec2 i = lattice_corner(at, POINTS); \
    vec2 t = at - vec2(i); \
    return linear(linear(FIELD(i), FIELD(i + ivec2(1, 0)), t.x), \
                  linear(FIELD(i + ivec2(0, 1)), FIELD(i + ivec2(1, 1)), t.x), t.y); \
}

// Defines `float NAME(vec3 at)`: trilinear in FIELD(ivec3), a lattice of POINTS points, at least 2 along each
// axis.
#define DEFINE_TRILINEAR(NAME, FIELD, POINTS) \
float NAME(vec3 at) { \
    at = clamp(at, vec3(0.0), vec3(POINTS - 1)); \
    ivec3 i = lattice_corner(at, POINTS); \
    vec3 t = at - vec3(i); \
    float near = linear(linear(FIELD(i), FIELD(i + ivec3(1, 0, 0)), t.x), \
                        linear(FIELD(i + ivec3(0, 1, 0)), FIELD(i + ivec3(1, 1, 0)), t.x), t.y); \
    float far = linear(linear(FIELD(i + ivec3(0, 0, 1)), FIELD(i + ivec3(1, 0, 1)), t.x), \
                       linear(FIELD(i + ivec3(0, 1, 1)), FIELD(i + ivec3(1, 1, 1)), t.x), t.y); \
    return linear(near, far, t.z); \
}

#endif
