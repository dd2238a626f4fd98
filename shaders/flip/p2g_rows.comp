#version 460
#include "stage.glsl"
#define FACES 4
#include "flip/p2g.glsl"

// Over pieces of the rows of faces of a dense grid, x fastest.
void stage(uint i) {
    ivec3 size = grid_cells;
    size[AXIS]++;
    int pieces = (size.x + FACES - 1) / FACES, row = int(i) / pieces;
    ivec3 face = ivec3((int(i) - row * pieces) * FACES, row % size.y, row / size.y);
    if (face.z < size.z) {
        gather(face, size.x - face.x);
    }
}
