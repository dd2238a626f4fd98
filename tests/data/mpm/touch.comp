#version 460
#include "stage.glsl"
#include "mpm/colliders.glsl"
#include "mpm/ground.glsl"

// What becomes of velocities at points, of solids and then of the ground.
void stage(uint i) {
    set_beside(2u * i, beside_colliders(points(i), speeds(i)));
    set_beside(2u * i + 1u, beside_ground(points(i), speeds(i)));
}
