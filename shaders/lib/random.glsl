// Counter-based random numbers: pcg4d of Jarzynski & Olano 2020, "Hash Functions for GPU Rendering", Journal of
// Computer Graphics Techniques 9(3). There is no state: a number is a function of its key, so results depend neither on
// the order of threads nor on earlier numbers. CPU twin: tests/reference/random.rs.

// Four 32-bit random numbers, a function of the four of the key.
uvec4 pcg4d(uvec4 v) {
    v = v * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> 16u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

// Four numbers in [0, 1), multiples of 2^-24: each is exact in a float, and 1 is never reached. The key consists of the
// element, the time, the purpose (a constant per use), and the seed of the run.
vec4 random4(uint element, uint when, uint purpose, uint seed) {
    return vec4(pcg4d(uvec4(element, when, purpose, seed)) >> 8u) * (1.0 / 16777216.0);
}
