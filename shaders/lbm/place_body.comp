#version 460
#include "stage.glsl"
#include "lbm/cells.glsl"
#include "lbm/pose.glsl"

// Fluid cells whose centres lie in the body become part of it; those that it leaves wait for refill_body.comp. Other cells stay
// what they are.
STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell)), type = word & TYPE;
    if (type != FLUID_CELL && type != BODY_CELL) {
        return;
    }
    vec3 place = vector_in_space(grid_position(AT(cell)));
    bool inside = sample_body_shape(to_plane(on_body(place), grid_cells)) > 0.5;
    if (inside || type == BODY_CELL) {
        set_grid_u(AT(cell), to_plane(velocity_of_body(place), grid_cells));
        set_grid_cell_type(AT(cell), (word & ~TYPE) | (inside ? BODY_CELL : LEFT_CELL));
    }
}
