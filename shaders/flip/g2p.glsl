// Moves a particle with the flow by the midpoint rule; along an axis on which it would enter a solid or leave the domain, it stays.
// Before a stage includes this, it defines `vec3 flow_at(vec3 place)`, the velocity of the flow in m/s, and `vec3 taken(uint i,
// vec3 place)`, the velocity that the particle takes.
#pragma reach grid_u 3
#pragma reach grid_v 3
#pragma reach grid_w 3
#pragma reach grid_u_before 1
#pragma reach grid_v_before 1
#pragma reach grid_w_before 1
#pragma reach grid_cell_type 4

// A velocity that moves a particle less than 4 cells along each axis, m/s: the `drift` of the sort. Ranks exchange cells up to there.
vec3 bounded(vec3 velocity) {
    float most = 3.99 * grid_dx / clock.dt;
    return clamp(velocity, -most, most);
}

void stage(uint i) {
    vec3 place = matter_position(i);
    vec3 velocity = taken(i, place);
    vec3 half_way = place + 0.5 * clock.dt * bounded(flow_at(place));
    vec3 target = place + clock.dt * bounded(flow_at(half_way));
    vec3 low = grid_origin + 0.001 * grid_dx, high = grid_origin + (vec3(grid_cells) - 0.001) * grid_dx;
    // Particles may leave through an open side; a drain removes them.
    vec3 beyond = 4.0 * vec3(grid_cells) * grid_dx;
    target = clamp(target, low - beyond * vec3(equal(arg.low, ivec3(OPEN_SIDE))), high + beyond * vec3(equal(arg.high, ivec3(OPEN_SIDE))));
    for (int axis = 0; axis < 3; axis++) {
        vec3 moved = place;
        moved[axis] = target[axis];
        ivec3 cell = clamp(ivec3(floor(grid_coordinates(moved))), ivec3(0), grid_cells - 1);
        if (grid_cell_type(cell) == SOLID_CELL) {
            velocity[axis] = 0.0;
        } else {
            place = moved;
        }
    }
    set_matter_velocity(i, velocity);
    set_matter_position(i, place);
}
