// Numbers by a hash of integers: `lowbias32` (C. Wellons, "Prospecting for Hash Functions", 2018).
#ifndef RENDER_HASH
#define RENDER_HASH

uint hash_uint(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

// Uniform in [0, 1): 24 bits, so exact in a float.
float hash_unit(ivec3 lattice, uint key) {
    uint h = uint(lattice.x) * 0x9e3779b1u ^ uint(lattice.y) * 0x85ebca6bu ^ (uint(lattice.z) + key) * 0xc2b2ae35u;
    return float(hash_uint(h) >> 8) * (1.0 / 16777216.0);
}

float hash_unit(ivec2 lattice, uint key) {
    return hash_unit(ivec3(lattice, 0), key);
}

#endif
