// The farthest that a step moves values. Ranks exchange the cells that stages may read.
#ifndef FLOW_FARTHEST
#define FLOW_FARTHEST

// Cells along each axis. Kernels that interpolate at the end of a path have a reach of 9, or 10 if they also write high faces;
// half way it is 6.
const float FARTHEST = 8.0;

// A velocity that moves values no farther, m/s.
vec3 bounded(vec3 velocity) {
    float most = FARTHEST * grid_dx / clock.dt;
    return clamp(velocity, -most, most);
}

#endif
