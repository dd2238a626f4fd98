#version 460
#include "stage.glsl"
#include "drift/wall.glsl"

#pragma reads grid.faces grid.u grid.v grid.w grid.eddy ground.elevation ground.snow ground.friction ground.built rate
#pragma writes rate
#pragma arguments top_friction
#pragma argument int axis
#pragma argument vec2 top_friction
#pragma arguments roughness
#pragma reach grid_eddy 1
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1
#pragma reach ground_elevation 2
#pragma reach ground_snow 2
#pragma reach ground_friction 1
#pragma reach ground_built 0

float velocity(int axis, ivec3 face) {
    return axis == 0 ? grid_u(face) : axis == 1 ? grid_v(face) : grid_w(face);
}

// The eddy viscosity at the face of a column across z; 0 beyond the top.
float eddy(ivec3 face) {
    return grid_eddy(ivec3(fold(face.xy), clamp(face.z, 0, grid_cells.z)));
}

// The eddy viscosity at the edge between a face of `axis` and the next one along `along`; `high` is the upper of both.
float eddy_at_edge(ivec3 high, int axis, int along) {
    ivec3 up = unit(2);
    if (axis == along) {
        ivec3 cell = high - unit(axis);
        return 0.5 * (eddy(cell) + eddy(cell + up));
    }
    if (along == 2 || axis == 2) {
        return 0.5 * (eddy(high) + eddy(high - unit(along == 2 ? axis : along)));
    }
    ivec3 a = unit(axis), b = unit(along);
    return 0.125 * (eddy(high) + eddy(high - a) + eddy(high - b) + eddy(high - a - b)
                    + eddy(high + up) + eddy(high - a + up) + eddy(high - b + up) + eddy(high - a - b + up));
}

// The face at a periodic image inside the grid.
ivec3 image(ivec3 face) {
    for (int along = 0; along < 2; along++) {
        if (periodic(along)) {
            face[along] = (face[along] + grid_cells[along]) % grid_cells[along];
        }
    }
    return face;
}

// The stress over the density, m^2/s^2, through the side `way` along `along` of the volume of a face.
float stress(ivec3 face, int axis, int along, int way, vec2 wall) {
    ivec3 next = face;
    next[along] += way;
    int last = grid_cells[along] + (along == axis ? 1 : 0);
    if (!periodic(along) && (next[along] < 0 || next[along] >= last)) {
        bool lid = along == 2 && way > 0 && axis != 2;
        return lid ? length(arg.top_friction) * arg.top_friction[axis] : along == 2 && axis != 2 ? wall[axis] : 0.0;
    }
    if (above_surface(next, axis) <= 0.0) {
        return along == 2 && axis != 2 ? wall[axis] : 0.0;
    }
#if HAS_ground_built
    if (along != axis && is_closed(next, axis)) {
        // The wall of an obstacle, half a cell away: the law of the wall.
        float speed = velocity(axis, face), part = KARMAN / log(0.5 * grid_dx / arg.roughness);
        return -float(way) * part * part * abs(speed) * speed;
    }
#endif
    ivec3 high = way > 0 ? next : face;
    float change = (velocity(axis, image(high)) - velocity(axis, image(high - unit(along)))) / grid_dx;
    if (along == axis) {
        return 2.0 * eddy_at_edge(high, axis, along) * change;
    }
    int most = grid_cells[axis] - 1;
    if (!periodic(axis) && (high[axis] == 0 || high[axis] > most)) {
        return eddy_at_edge(high, axis, along) * change;
    }
    float across = (velocity(along, image(high)) - velocity(along, image(high - unit(axis)))) / grid_dx;
    return eddy_at_edge(high, axis, along) * (change + across);
}

// Adds to the rates of the faces across arg.axis the divergence of the stress of the smallest scales, 2 nu S_ij with
// nu = grid.eddy. The lowest face above the surface of a column feels the friction of the surface, u*^2.
void stage(ivec3 face) {
    if (!moves(face, arg.axis) || above_surface(face, arg.axis) <= 0.0) {
        return;
    }
    vec2 wall = vec2(0.0);
    if (arg.axis != 2) {
        vec2 low = ground_friction(fold(face.xy - unit(arg.axis).xy)), high = ground_friction(fold(face.xy));
        vec2 friction = 0.5 * (low + high);
        wall = length(friction) * friction;
    }
    float change = 0.0;
    for (int along = 0; along < 3; along++) {
        change += stress(face, arg.axis, along, 1, wall) - stress(face, arg.axis, along, -1, wall);
    }
    set_rate(face, rate(face) + change / grid_dx);
}
