// Rows of cells as vectors. A stage with `#pragma vector_width 4` gets the first of four cells of a row, and one access of
// memory takes all of them. Where the grid has no whole rows, `stage_width` is 1, and only the first component counts.
#ifndef LIB_ROWS
#define LIB_ROWS

// The index of a cell in a field.
#ifndef AT
#define AT(CELL) CELL
#endif

// Defines TYPE NAME(ivec3 cell): the values of a field from a cell on.
#define DEFINE_ROW(NAME, TYPE, FIELD) \
    TYPE NAME(ivec3 cell) { \
        if (stage_width == 1) return TYPE(FIELD(AT(cell))); \
        return FIELD##_x4(AT(cell)); \
    }

// Defines void NAME(ivec3 cell, TYPE values), which writes them.
#define DEFINE_SET_ROW(NAME, TYPE, FIELD) \
    void NAME(ivec3 cell, TYPE values) { \
        if (stage_width == 1) set_##FIELD(AT(cell), values.x); \
        else set_##FIELD##_x4(AT(cell), values); \
    }

// The neighbours of a row's cells at lower and higher x; `before` and `behind` are the values beside the row.
vec4 row_west(vec4 row, float before) {
    return vec4(before, row.xyz);
}

vec4 row_east(vec4 row, float behind) {
    return stage_width == 1 ? vec4(behind) : vec4(row.yzw, behind);
}

#endif
