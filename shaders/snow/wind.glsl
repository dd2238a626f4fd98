// The wind on the faces of every cell. Include after stage.glsl in a stage that reads `wind` and air.u, air.v and
// air.w.
#include "lib/lattice.glsl"

// The wind in inactive air, m/s: the prescribed one.
vec3 calm = vec3(0.0);

float wind_u(ivec3 cell) {
    return air_u(cell, calm.x);
}

float wind_v(ivec3 cell) {
    return air_v(cell, calm.y);
}

float wind_w(ivec3 cell) {
    return air_w(cell, calm.z);
}

DEFINE_TRILINEAR(sample_u, wind_u, air_cells)
DEFINE_TRILINEAR(sample_v, wind_v, air_cells)
DEFINE_TRILINEAR(sample_w, wind_w, air_cells)
