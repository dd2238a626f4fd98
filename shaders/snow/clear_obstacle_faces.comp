#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

// No wind through solid faces: after every rebuild of the obstacles, the faces that touch a solid cell become
// exactly 0. Faces that snow has just uncovered were 0 while they were closed, and start from there.
void stage(ivec3 cell) {
    uint bits = air_obstacle(cell);
    if ((bits & CLOSED_U) != 0u) {
        set_air_u(cell, 0.0);
    }
    if ((bits & CLOSED_V) != 0u) {
        set_air_v(cell, 0.0);
    }
    if ((bits & CLOSED_W) != 0u) {
        set_air_w(cell, 0.0);
    }
}
