#version 460
#include "stage.glsl"
#include "shallow/states.glsl"

#pragma reads old.depth old.flow
#pragma writes new.depth new.flow
#pragma arguments gravity manning
#pragma reach ground_elevation 2
#pragma reach ground_depth 2
#pragma reach ground_flow 2

// One stage of Heun's method for the shallow water equations (docs/examples.md, equations 8 and 9): new = (1 - share) old + share
// (ground + dt L(ground)). L is the scheme of second order by Audusse, Bouchut, Bristeau, Klein & Perthame 2004: limited slopes of
// depth and surface, hydrostatic reconstruction at faces, the flux of Harten, Lax & van Leer 1983. Pressures are summed up such
// that each difference is 0 in water at rest.

float minmod(float a, float b) {
    return a * b <= 0.0 ? 0.0 : abs(a) < abs(b) ? a : b;
}

// Half the change across a cell.
struct Slope {
    float depth, surface;
    vec2 velocity;
};

Slope slope_of(State low, State here, State high) {
    Slope s;
    s.depth = 0.5 * minmod(here.depth - low.depth, high.depth - here.depth);
    float surface = here.bed + here.depth;
    s.surface = 0.5 * minmod(surface - (low.bed + low.depth), high.bed + high.depth - surface);
    vec2 before = here.velocity - low.velocity, after = high.velocity - here.velocity;
    s.velocity = 0.5 * vec2(minmod(before.x, after.x), minmod(before.y, after.y));
    return s;
}

// At a face of a cell.
struct Side {
    float depth, surface;
    vec2 velocity;
};

Side side_of(State here, Slope slope, float sign) {
    float surface = here.bed + here.depth;
    return Side(here.depth + sign * slope.depth, surface + sign * slope.surface, here.velocity + sign * slope.velocity);
}

// Flux of depth, and of momentum along and across the face, without the pressure on one side: 0 for low, 1 for high.
vec3 flux(Side low, Side high, int axis, int pressure) {
    float bed = max(low.surface - low.depth, high.surface - high.depth);
    vec2 depth = max(vec2(low.surface, high.surface) - bed, 0.0), along = vec2(low.velocity[axis], high.velocity[axis]);
    vec2 across = vec2(low.velocity[1 - axis], high.velocity[1 - axis]), c = sqrt(arg.gravity * depth);
    if (depth.x + depth.y <= 0.0) {
        return vec3(0.0);
    }
    // Fronts on dry ground move at u +- 2 c (Ritter 1892).
    float slowest = min(min(along.x - c.x, along.y - (depth.x <= 0.0 ? 2.0 : 1.0) * c.y), 0.0);
    float fastest = max(max(along.y + c.y, along.x + (depth.y <= 0.0 ? 2.0 : 1.0) * c.x), 0.0);
    vec2 rest = 0.5 * arg.gravity * depth * depth;
    vec3 inside = vec3(depth.x, depth.x * along.x, depth.x * across.x);
    vec3 outside = vec3(depth.y, depth.y * along.y, depth.y * across.y);
    vec3 f = along.x * inside + vec3(0.0, rest.x, 0.0), g = along.y * outside + vec3(0.0, rest.y, 0.0);
    vec3 sum = f + (slowest * (f - g) + fastest * slowest * (outside - inside)) / (fastest - slowest);
    sum.y -= rest[pressure];
    return sum;
}

void stage(ivec2 vertex) {
    float depth = ground_depth(vertex);
    vec2 flow = ground_flow(vertex);
    for (int axis = 0; axis < 2; axis++) {
        ivec2 aside = ivec2(0);
        aside[axis] = 1;
        State s[5];
        for (int k = 0; k < 5; k++) {
            s[k] = state_at(vertex + (k - 2) * aside, axis);
        }
        Slope before = slope_of(s[0], s[1], s[2]), here = slope_of(s[1], s[2], s[3]), after = slope_of(s[2], s[3], s[4]);
        Side low = side_of(s[2], here, -1.0), high = side_of(s[2], here, 1.0);
        vec3 entering = flux(side_of(s[1], before, 1.0), low, axis, 1), leaving = flux(high, side_of(s[3], after, -1.0), axis, 0);
        // Not even rounding passes a wall.
        entering.x = vertex[axis] == 0 && is_wall(axis, false) ? 0.0 : entering.x;
        leaving.x = vertex[axis] == ground_vertices[axis] - 1 && is_wall(axis, true) ? 0.0 : leaving.x;
        vec3 change = entering - leaving;
        change.y += 0.5 * arg.gravity * (low.depth + high.depth) * (low.surface - high.surface);
        change *= clock.dt / ground_spacing[axis];
        depth += change.x;
        flow[axis] += change.y;
        flow[1 - axis] += change.z;
    }
    depth = max(depth, 0.0);
    // Manning's friction, implicit.
    float deep = max(depth, arg.dry), third = pow(deep, 1.0 / 3.0);
    flow /= 1.0 + clock.dt * arg.gravity * arg.manning * arg.manning * length(flow) / (deep * deep * third);
    set_new_depth(vertex, mix(old_depth(vertex), depth, arg.share));
    set_new_flow(vertex, mix(old_flow(vertex), flow, arg.share));
}
