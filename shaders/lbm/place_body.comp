#version 460
#include "stage.glsl"
#include "lbm/populations.glsl"
#include "lbm/pose.glsl"

#pragma reads grid.cell_type grid.f body.shape pose
#pragma writes grid.cell_type grid.u
#pragma reduces sum covered covered_torque
#pragma arguments motion.pivot centre force_unit
#pragma alternates grid_f

// Fluid cells whose centres are in the body become part of it; cells that it leaves are marked for refill_body.comp. Other
// cells do not change.
STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell)), type = word & TYPE;
    if (type != FLUID_CELL && type != MOVING_CELL) {
        return;
    }
    vec3 place = vector_in_space(grid_position(AT(cell)));
    bool inside = sample_body_shape(to_plane(on_body(place), grid_cells)) > 0.5;
    if (inside && type == FLUID_CELL) {
        // The body takes over the momentum that the step has left here.
        uint odd = clock.step & 1u;
        Around at = around(cell);
        vec3 momentum = vec3(0.0);
#define TAKE(I, X, Y, Z, W) momentum += (f_at(beside(at, X, Y, Z), I + odd) - f_at(cell, I + 1u - odd)) * vec3(X, Y, Z);
        EACH_PAIR(TAKE)
        sum_covered(arg.force_unit * momentum);
        sum_covered_torque(arg.force_unit * cross(place - arg.centre, momentum));
    }
    if (inside || type == MOVING_CELL) {
        set_grid_u(AT(cell), to_plane(velocity_of_body(place), grid_cells));
        set_grid_cell_type(AT(cell), (word & ~TYPE) | (inside ? MOVING_CELL : LEFT_CELL));
    }
}
