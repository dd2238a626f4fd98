#version 460
#include "stage.glsl"
#include "flip/p2g.glsl"

// Over the faces of any grid.
void stage(ivec3 face) {
    gather(face, 1);
}
