// Blocks of 8 x 8 x 8 cubes with a bit for each cube that a surface crosses. 16 parts of a block, of 4 x 4 x 2 cubes, are one word
// each.
#ifndef RENDER_CUBES
#define RENDER_CUBES

const ivec3 PART = ivec3(4, 4, 2);

ivec3 block_of(ivec3 cube) {
    return cube >> 3;
}

uint part_of(ivec3 cube) {
    return uint((cube.x >> 2 & 1) | (cube.y >> 1 & 2) | (cube.z << 1 & 12));
}

uint bit_of(ivec3 cube) {
    return 1u << uint((cube.x & 3) | (cube.y & 3) << 2 | (cube.z & 1) << 4);
}

#endif
