#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/motion.glsl"

#pragma reads grid.faces
#pragma writes value
#pragma argument int axis

// Faces inside the body have its velocity at the end of the step.
STAGE_IN_SPACE {
    int last = grid_cells[arg.axis];
    bool at_side = !periodic(arg.axis) && (cell[arg.axis] == 0 || cell[arg.axis] == last);
    if (!at_side && part_of(word_at(cell), 2 * arg.axis) == 0u) {
        set_value(AT(cell), velocity_of_body(in_space(value_position(AT(cell))), clock.time + clock.dt)[arg.axis]);
    }
}
