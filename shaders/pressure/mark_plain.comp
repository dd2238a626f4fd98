#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/rows.glsl"
#include "pressure/plain.glsl"
#include "flow/open.glsl"

#pragma reads grid.faces grid.plain
#pragma writes grid.plain
#pragma reach grid_faces 1

// The marks of a row of cells (plain.glsl); coarsen_faces.comp has written those of finer cells.

DEFINE_ROW(words_row, uvec4, grid_faces)

// The bits of a row's words for faces on sides of the domain, and those of its first and last cell. Where `whole`, the faces of
// these sides across y and z count.
bool plain_row(ivec3 cell, ivec3 size, bool whole) {
    ivec3 last = cell + ivec3(stage_width - 1, 0, 0);
    bvec3 closed = equal(periodic_axes(), ivec3(0));
    uvec4 words = words_row(cell) & ~AT_OPEN_SIDE, plain = uvec4(PLAIN_WORD);
    if (!whole) {
        uint side = (closed.y && cell.y == 0 ? PART << 10 : 0u) | (closed.y && cell.y == size.y - 1 ? PART << 15 : 0u)
                  | (closed.z && cell.z == 0 ? PART << 20 : 0u) | (closed.z && cell.z == size.z - 1 ? PART << 25 : 0u);
        // Their faces are equal there.
        plain = plain & ~side | words.x & side;
    }
    if (closed.x && cell.x == 0) {
        plain.x = plain.x & ~PART | words.x & PART;
    }
    if (closed.x && last.x == size.x - 1) {
        uint end = words[stage_width - 1] & PART << 5;
        plain[stage_width - 1] = plain[stage_width - 1] & ~(PART << 5) | end;
    }
    return stage_width == 1 ? words.x == plain.x : words == plain;
}

bool plain_row(ivec3 cell, ivec3 size) {
    return plain_row(cell, size, true);
}

bool whole_cell(ivec3 cell) {
    return (grid_faces(AT(cell)) & ~AT_OPEN_SIDE) == PLAIN_WORD;
}

bool plain_cell(ivec3 cell, ivec3 size) {
    return is_inside(cell, size) && grid_faces(AT(cell)) == PLAIN_WORD;
}

STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    bool row = plain_row(cell, size, false), inner = all(greaterThan(cell.yz, ivec2(0))) && all(lessThan(cell.yz, size.yz - 1));
    Around at = around_row(cell, size);
    bool closed = periodic_axes().x == 0;
    bool around_it = plain_row(cell, size) && plain_row(at.south, size) && plain_row(at.north, size) && plain_row(at.below, size)
                  && plain_row(at.above, size) && (closed && cell.x == 0 || whole_cell(at.west))
                  && (closed && cell.x + stage_width == size.x || whole_cell(at.east));
    uint marks = (row ? PLAIN_ROW : 0u) | (around_it ? PLAIN_AROUND : 0u);
    for (int k = 0; k < stage_width; k++) {
        ivec3 place = cell + ivec3(k, 0, 0);
        uint own = plain_cell(place, size) ? PLAIN_CELL | PLAIN_BUT_ENDS : row && inner ? PLAIN_BUT_ENDS : 0u;
        for (int axis = 0; axis < 3; axis++) {
            own |= moves(place, axis) ? LOW_FACE_MOVES << axis : 0u;
        }
        set_grid_plain(AT(place), grid_plain(AT(place)) & PLAIN_CHILDREN | marks | own);
    }
}
