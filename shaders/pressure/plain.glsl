// Marks of cells whose equation is the simplest one, so that stages need not read their faces: fluid away from the sides of the
// domain, whose faces are all whole. Of a row, faces on sides of the domain may differ. A grid without marks takes the general
// path.
#ifndef PRESSURE_PLAIN
#define PRESSURE_PLAIN

#include "pressure/faces.glsl"

// 0 if no cell counts as plain: in planes, and where densities differ.
#pragma constant PLAIN plain
layout(constant_id = 2) const int PLAIN = 1;

// The cells of the aligned row of a stage are plain.
const uint PLAIN_ROW = 1u;
// So are all of their neighbours.
const uint PLAIN_AROUND = 2u;
// The cell itself is plain.
const uint PLAIN_CELL = 4u;
// The finer cells in this cell are plain.
const uint PLAIN_CHILDREN = 8u;
// The cell is plain but for faces on sides of the domain across x.
const uint PLAIN_BUT_ENDS = 16u;
// The low face of the cell across x belongs to the flow (flow/open.glsl); those across y and z are the next bits.
const uint LOW_FACE_MOVES = 32u;

const uint PLAIN_WORD = FLUID | WHOLE | WHOLE << 5 | WHOLE << 10 | WHOLE << 15 | WHOLE << 20 | WHOLE << 25;

bool is_inside(ivec3 cell, ivec3 size) {
    return all(greaterThan(cell, ivec3(0))) && all(lessThan(cell, size - 1));
}

#if HAS_grid_plain
#define MARKS(CELL) (PLAIN != 0 ? grid_plain(AT(CELL)) : 0u)
#else
#define MARKS(CELL) 0u
#endif

#ifdef PRESSURE_ROWS
// A plain row: what is beyond its faces on sides of the domain, as coefficients.
struct Ends {
    bool at_west, at_east, at_side;
    bvec4 beyond;
    float west, east;
    vec4 sides;
};

Ends ends_of(ivec3 cell, ivec3 size) {
    ivec3 last = cell + ivec3(stage_width - 1, 0, 0);
    bvec3 closed = equal(periodic_axes(), ivec3(0));
    Ends ends;
    ends.at_west = closed.x && cell.x == 0;
    ends.at_east = closed.x && last.x == size.x - 1;
    ends.beyond = bvec4(closed.y && cell.y == 0, closed.y && cell.y == size.y - 1,
                        closed.z && cell.z == 0, closed.z && cell.z == size.z - 1);
    ends.at_side = any(ends.beyond);
    ends.west = 1.0;
    ends.east = 1.0;
    ends.sides = vec4(1.0);
    if (ends.at_west) {
        ends.west = part(part_of(grid_faces(AT(cell)), 0));
    }
    if (ends.at_east) {
        ends.east = part(part_of(grid_faces(AT(last)), 1));
    }
    if (ends.at_side) {
        // The cells of the row have equal faces there.
        uint word = grid_faces(AT(cell));
        ends.sides = mix(vec4(1.0), vec4(part(word >> 10), part(word >> 15), part(word >> 20), part(word >> 25)), ends.beyond);
    }
    return ends;
}

// The diagonals of a plain row.
vec4 plain_diagonal(Ends ends) {
    float inner = 2.0 + ends.sides.x + ends.sides.y + (ends.sides.z + ends.sides.w);
    return stage_width == 1 ? vec4(inner - 2.0 + ends.west + ends.east)
                            : vec4(inner - 1.0 + ends.west, inner, inner, inner - 1.0 + ends.east);
}

// A x of a plain row.
vec4 plain_flux(Rows x, vec4 own, Ends ends) {
    // Beyond a side the value is 0.
    vec4 low = own - vec4(x.west, own.xyz), high = own - vec4(own.yzw, x.east);
    if (ends.at_west) {
        low.x = ends.west * own.x;
    }
    if (stage_width == 1) {
        high.x = ends.at_east ? ends.east * own.x : own.x - x.east;
    } else if (ends.at_east) {
        high.w = ends.east * own.w;
    }
    vec4 south = own - x.south, north = own - x.north, below = own - x.below, above = own - x.above;
    if (ends.at_side) {
        south = ends.beyond.x ? ends.sides.x * own : south;
        north = ends.beyond.y ? ends.sides.y * own : north;
        below = ends.beyond.z ? ends.sides.z * own : below;
        above = ends.beyond.w ? ends.sides.w * own : above;
    }
    return low + high + (south + north) + (below + above);
}

float sum_of_row(vec4 a, vec4 b) {
    return stage_width == 1 ? a.x * b.x : dot(a, b);
}

float largest_of_row(vec4 a) {
    return stage_width == 1 ? abs(a.x) : max(max(abs(a.x), abs(a.y)), max(abs(a.z), abs(a.w)));
}
#endif

#endif
