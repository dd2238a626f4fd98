// Mixed Morton codes: coordinates with different numbers of bits per axis become one number without gaps. The bits that
// all three axes have are interleaved, x lowest; then the bits that two axes have are interleaved, in the order x, y, z,
// and the other bits of the last axis follow. Coordinates must be below 2^bits each, and the bits 32 at most in all. No
// branches, and no shift by 32, which is undefined. CPU twin: src/grid/morton.rs.

// Two zeros between the bits of numbers of 10 bits.
uvec3 sg_spread3(uvec3 v) {
    v = (v | v << 16u) & 0x030000ffu;
    v = (v | v << 8u) & 0x0300f00fu;
    v = (v | v << 4u) & 0x030c30c3u;
    return (v | v << 2u) & 0x09249249u;
}

// Every third bit.
uvec3 sg_compact3(uvec3 v) {
    v &= 0x09249249u;
    v = (v | v >> 2u) & 0x030c30c3u;
    v = (v | v >> 4u) & 0x0300f00fu;
    v = (v | v >> 8u) & 0x030000ffu;
    return (v | v >> 16u) & 0x3ffu;
}

// A zero between the bits of numbers of 16 bits.
uvec2 sg_spread2(uvec2 v) {
    v = (v | v << 8u) & 0x00ff00ffu;
    v = (v | v << 4u) & 0x0f0f0f0fu;
    v = (v | v << 2u) & 0x33333333u;
    return (v | v << 1u) & 0x55555555u;
}

// Every second bit.
uvec2 sg_compact2(uvec2 v) {
    v &= 0x55555555u;
    v = (v | v >> 1u) & 0x33333333u;
    v = (v | v >> 2u) & 0x0f0f0f0fu;
    v = (v | v >> 4u) & 0x00ff00ffu;
    return (v | v >> 8u) & 0xffffu;
}

// Number of bits that are interleaved of three axes (x), then of two (y).
uvec2 sg_morton_split(uvec3 bits) {
    uint low = min(min(bits.x, bits.y), bits.z);
    uint most = max(max(bits.x, bits.y), bits.z);
    return uvec2(low, bits.x + bits.y + bits.z - most - 2u * low);
}

uint sg_morton(uvec3 v, uvec3 bits) {
    uvec2 split = sg_morton_split(bits);
    uvec3 low_bits = sg_spread3(v & ((1u << split.x) - 1u)) << uvec3(0u, 1u, 2u);
    v >>= split.x;
    // One axis has no more bits: the pair consists of the other two.
    uvec2 pair = mix(v.yy, v.xz, greaterThan(bits.xz, split.xx));
    pair = sg_spread2(pair & ((1u << split.y) - 1u));
    v >>= split.y;
    uint last = v.x | v.y | v.z;
    return low_bits.x | low_bits.y | low_bits.z | (pair.x | pair.y << 1u) << (3u * split.x)
        | last << (3u * split.x) << split.y << split.y;
}

uvec3 sg_unmorton(uint code, uvec3 bits) {
    uvec2 split = sg_morton_split(bits);
    uvec3 v = sg_compact3(uvec3(code) >> uvec3(0u, 1u, 2u)) & ((1u << split.x) - 1u);
    code >>= 3u * split.x;
    uvec2 pair = sg_compact2(uvec2(code, code >> 1u)) & ((1u << split.y) - 1u);
    uint last = code >> split.y >> split.y;
    bvec2 paired = greaterThan(bits.xz, split.xx);
    uvec2 xz = mix(uvec2(0u), pair, paired);
    uvec2 y = mix(pair, uvec2(0u), paired);
    v |= uvec3(xz.x, y.x | y.y, xz.y) << split.x;
    uint used = split.x + split.y;
    return v | mix(uvec3(0u), uvec3(last), greaterThan(bits, uvec3(used))) << used;
}
