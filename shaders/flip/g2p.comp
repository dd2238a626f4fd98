#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

float w_near(vec3 place) {
    return sample_grid_w(place);
}

#include "pressure/lattice.glsl"
#include "flow/trace.glsl"

// Faces to particles: (1 - flip) of the velocity there, and flip of the particle's own with what the step has changed (Zhu &
// Bridson 2005, "Animating sand as a fluid", section 4.1). Then the particle moves with the flow by the midpoint rule; along an
// axis on which it would enter a solid or leave the domain, it stays.
vec3 before_at(vec3 place) {
    return vec3(sample_grid_u_before(place), sample_grid_v_before(place), sample_grid_w_before(place));
}

void stage(uint i) {
    vec3 place = matter_position(i);
    vec3 now = flow_at(place);
    vec3 velocity = mix(now, matter_velocity(i) + (now - before_at(place)), arg.flip);
    vec3 target = trace(place, clock.dt);
    vec3 low = grid_origin + 0.001 * grid_dx, high = grid_origin + (vec3(grid_cells) - 0.001) * grid_dx;
    // An open side lets it go: what is beyond is for a drain.
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
