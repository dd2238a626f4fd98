// True if the face `i`, a low face of `cell` or a high one at the end of the axis, belongs to the flow; `marks` are those of
// the cell. For grids without periodic sides. Include after flow/open.glsl.
#include "pressure/plain.glsl"

// The marks of a cell (pressure/plain.glsl); 0 on grids without.
uint marks_of(ivec3 cell) {
#if HAS_grid_plain
    return grid_plain(cell);
#else
    return 0u;
#endif
}

bool face_moves(ivec3 i, ivec3 cell, int axis, uint marks) {
#if !HAS_grid_plain
    return moves(i, axis);
#endif
    if (i[axis] == cell[axis]) {
        return (marks & LOW_FACE_MOVES << axis) != 0u;
    }
    return arg.high[axis] == OPEN_SIDE && is_fluid(grid_faces(AT(cell)));
}
