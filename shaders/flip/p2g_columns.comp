#version 460
#include "stage.glsl"
#include "flip/p2g.glsl"

#pragma workgroup 16 4
#pragma tile 16 4 FACES

// Over the faces of a dense grid: each invocation takes a piece of a column.
void stage(uvec3 group, uint local) {
    ivec3 face = ivec3(group) * ivec3(16, 4, FACES) + ivec3(local % 16u, local / 16u, 0), size = grid_cells;
    size[AXIS]++;
    if (all(lessThan(face, size))) {
        gather(face, size.z - face.z);
    }
}
