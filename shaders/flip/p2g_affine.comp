#version 460
#include "stage.glsl"

// The velocity at the face by the particle's own and its derivatives (Jiang, Schroeder, Selle, Teran & Stomakhin 2015, "The affine
// particle-in-cell method", section 5.3).
float carried(uint i, vec3 way) {
    return matter_velocity(i)[arg.axis] + dot(matter_affine(i)[arg.axis], way * grid_spacing);
}

void keep(ivec3 face, float brought) {
}

#include "flip/p2g.glsl"
