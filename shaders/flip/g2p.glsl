// Moves a particle with the flow by the midpoint rule; along an axis on which it would enter a solid or leave the domain, it stays.
// Before a stage includes this, it includes flow/midpoint.glsl, and it defines `vec3 taken(uint i, vec3 place)`, the velocity
// that the particle takes.

void stage(uint i) {
    vec3 place = matter_position(i);
    vec3 velocity = taken(i, place);
    vec3 target = trace(place, clock.dt);
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
