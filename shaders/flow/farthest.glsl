// The farthest that a step moves values. Ranks exchange the cells that stages may read.
#ifndef FLOW_FARTHEST
#define FLOW_FARTHEST

// Cells along each axis. Stages that read values on their way state a reach of one or two more.
const float FARTHEST = 8.0;

// A velocity that moves values no farther, m/s.
vec3 bounded(vec3 velocity) {
    float most = FARTHEST * grid_dx / clock.dt;
    return clamp(velocity, -most, most);
}

#endif
