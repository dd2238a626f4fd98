#version 460
#include "stage.glsl"

float carried(uint i, vec3 way) {
    return matter_velocity(i)[arg.axis];
}

// What the particles brought, for the change that they take back.
void keep(ivec3 face, float brought) {
    set_before(face, brought);
}

#include "flip/p2g.glsl"
