// True if the face `i`, a low face of `cell` or a high one at the end of the axis, belongs to the flow; `marks` are those of
// the cell (pressure/plain.glsl). For grids without periodic sides. Include after flow/open.glsl.
#include "pressure/plain.glsl"

bool face_moves(ivec3 i, ivec3 cell, int axis, uint marks) {
    if (i[axis] == cell[axis]) {
        return (marks & LOW_FACE_MOVES << axis) != 0u;
    }
    return arg.high[axis] == OPEN_SIDE && is_fluid(grid_faces(AT(cell)));
}
