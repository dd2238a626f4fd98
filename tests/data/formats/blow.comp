#version 460
#include "stage.glsl"

void stage(ivec3 face) {
    float place = float(face.x + 10 * face.y + 100 * face.z);
    set_value(face, place + 1000.0 * float(arg.axis + 1u) + 0.5 * float(clock.step));
}
