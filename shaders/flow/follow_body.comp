#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/motion.glsl"

// Faces inside the body have its velocity at the end of the step.
void stage(ivec3 face) {
    int last = grid_cells[arg.axis];
    bool at_side = face[arg.axis] == 0 || face[arg.axis] == last;
    if (!at_side && part_of(word_at(face), 2 * arg.axis) == 0u) {
        set_value(face, velocity_of_body(value_position(face), clock.time + clock.dt)[arg.axis]);
    }
}
