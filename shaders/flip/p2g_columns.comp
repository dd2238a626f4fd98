#version 460
#include "stage.glsl"
#if HAS_matter_affine
#define FACES 8
#else
#define FACES 4
#endif
#include "flip/p2g.glsl"

// Over pieces of the columns of faces of a dense grid, x fastest, then y.
void stage(uint i) {
    ivec3 size = grid_cells;
    size[AXIS]++;
    int row = int(i) / size.x;
    ivec3 face = ivec3(int(i) - row * size.x, row % size.y, row / size.y * FACES);
    if (face.z < size.z) {
        gather(face, size.z - face.z);
    }
}
