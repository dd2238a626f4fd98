// Stages that add something up run over columns: each element takes up to COLUMN cells in z one after the other, adds
// up their values, and contributes once to the reduction.
#ifndef PRESSURE_COLUMNS
#define PRESSURE_COLUMNS

layout(constant_id = 0) const int COLUMN = 16;

struct Column {
    ivec3 first;
    int end;
};

// The column of an element; x runs fastest, then y, then the parts of the columns.
Column column_of(uint i, ivec3 size) {
    uint across = uint(size.x) * uint(size.y);
    int part = int(i / across);
    uint rest = i - uint(part) * across;
    int y = int(rest / uint(size.x)), x = int(rest) - y * size.x;
    return Column(ivec3(x, y, part * COLUMN), min((part + 1) * COLUMN, size.z));
}

#endif
