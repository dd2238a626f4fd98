#version 460
#include "stage.glsl"
#include "drift/wall.glsl"

#pragma reads grid.faces ground.elevation ground.snow value
#pragma writes value
#pragma arguments fence
#pragma argument int axis

// Faces whose middle is at or below the surface carry no wind. A porous fence of the resistance k_r = arg.resistance takes
// the pressure k_r u^2 (over the density) from wind through it: a sink of k_r |u| u / h in the cells of one layer (Wilson
// 1985, "Numerical studies of flow through a windbreak"), implicit, so that any k_r is stable. Faces that the fence covers
// partly have this part of it.
void stage(ivec3 face) {
    if (!moves(face, arg.axis)) {
        return;
    }
    float over = above_surface(face, arg.axis);
    if (over <= 0.0) {
        set_value(face, 0.0);
    } else if (arg.axis == 0 && arg.resistance > 0.0 && face.x == int(round((arg.at - grid_origin.x) / grid_dx))) {
        float low = grid_origin.z + float(face.z) * grid_dx;
        float covered = clamp((min(low + grid_dx, arg.top) - max(low, arg.gap)) / grid_dx, 0.0, 1.0);
        float u = value(face);
        set_value(face, u / (1.0 + clock.dt * arg.resistance * covered * abs(u) / grid_dx));
    }
}
