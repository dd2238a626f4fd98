//! Descriptions in `docs/calls.md` of each function and name of an interface.

/// Meanings of the calls and names of an interface. `F` stands for a field or a result, `R` for a resource.
pub(super) const MEANINGS: &[(&str, &str)] = &[
    (
        "set_clock_dt(float value)",
        "sets the length of this iteration, s",
    ),
    ("R_position(ivec3 cell)", "centre of a cell, m"),
    (
        "R_coordinates(vec3 world)",
        "the opposite: cells from the corner of the grid",
    ),
    (
        "R_is_active(ivec3 cell)",
        "whether the cell is there: inside the grid, and of a sparse grid in an active block",
    ),
    (
        "R_near(ivec3 cell)",
        "true if all blocks around the block of a cell are active; accesses up to their reach from it then search no blocks",
    ),
    ("R_active_count()", "number of active blocks"),
    ("R_sub_blocks()", "number of sub-blocks of all active blocks"),
    ("R_sub_block(uint i)", "the first cell of a sub-block"),
    ("R_block(ivec3 cell)", "the block of a cell"),
    (
        "request_R(ivec3 cell)",
        "requests the block of a cell; nothing outside the grid",
    ),
    ("request_R_block(ivec3 block)", "requests a block"),
    (
        "F_position(ivec3 i)",
        "place of the value with this index, m; of channels with `at` or `border`",
    ),
    (
        "sample_F(vec3 world)",
        "interpolates between the values around a place; of channels of floats with `at` or `border`",
    ),
    (
        "max_F(float value)",
        "gives a value to the maximum; it is not an atomic",
    ),
    ("HAS_F", "1, or 0 where an optional field is not there"),
    ("set_F_x2(", "writes two cells of a row at once"),
    ("set_F_x4(", "writes four"),
    ("F_x2(", "reads two cells of a row at once, from an even one on"),
    ("F_x4(", "reads four, from a multiple of 4 on"),
    ("set_F(ivec3 i, uint k, float value)", "writes one entry"),
    ("set_F(", "writes the value"),
    ("add_F(", "adds, and returns the value before"),
    ("min_F(", "keeps the smaller value, and returns the one before"),
    ("max_F(", "keeps the larger value, and returns the one before"),
    ("or_F(", "sets bits, and returns the value before"),
    (
        "F(ivec3 i, uint k, float otherwise)",
        "the same; `otherwise` beyond the domain",
    ),
    ("F(ivec3 i, uint k)", "reads one entry"),
    (
        "F(ivec3 i, float otherwise)",
        "reads; `otherwise` beyond the domain, unless a `border` says what is there",
    ),
    (
        "F(ivec3 i, uint otherwise)",
        "reads; `otherwise` beyond the domain, unless a `border` says what is there",
    ),
    (
        "F(ivec3 i, vec3 otherwise)",
        "reads; `otherwise` beyond the active blocks",
    ),
    ("F(", "reads the value"),
    (
        "stage_begin()",
        "only with `OWN_MAIN`: loads what accessors need; first in `main`",
    ),
    ("stage_linear()", "number of this invocation over a list"),
    ("stage(", "the function that the shader defines"),
    ("R_cells", "cells along each axis"),
    ("R_dx", "side of a cell, m; only if all sides are equal"),
    ("R_spacing", "sides of a cell, m"),
    ("R_origin", "corner of the grid, m"),
    ("R_size", "width and height, pixels"),
    ("R_length", "number of elements"),
    (
        "R_count",
        "number of particles; of a dynamic set, those that live",
    ),
    ("R_capacity", "largest number of particles"),
    ("R_born", "particles that this stage adds, after those that live"),
    (
        "R_held_first",
        "first particle that the stage runs over: 0, or on several [ranks](ranks.md#particles) the first of this one",
    ),
    ("R_held_end", "end of the particles that the stage runs over"),
    ("R_held_count", "number of particles that the stage runs over"),
    (
        "R_is_own(uint i)",
        "false for a copy of a particle of another rank",
    ),
    ("F_entries", "entries of the array"),
    ("R_block_cells", "cells of a block along each axis"),
    ("R_sub_cells", "cells of a sub-block along each axis"),
    ("R_blocks", "blocks along each axis"),
    ("stage_local_size", "shape of the workgroup"),
    (
        "STAGE_WIDTH",
        "the `vector_width` of the stage; not defined without one",
    ),
    (
        "stage_groups",
        "how many workgroups run, of stages with one number of `groups`",
    ),
];

/// Members of the clock.
pub(super) const CLOCK: &[(&str, &str)] = &[
    (
        "left",
        "s; what is left of the step at the start of the iteration, in repeats with `\"while\": \"clock.left\"`; elsewhere dt",
    ),
    (
        "iteration",
        "number of the iteration in such a repeat; elsewhere 0",
    ),
    ("step", "number of steps before this one"),
    ("frame", "in frame stages, the number of the frame, from 1"),
    ("time", "s; at the start of the step or iteration"),
    ("dt", "s; length of the step or iteration"),
    ("seed", "the `seed` of the run"),
];
