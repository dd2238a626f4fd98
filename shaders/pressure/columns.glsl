// Stages that add something up run over columns: up to COLUMN cells in z, one after the other.
#ifndef PRESSURE_COLUMNS
#define PRESSURE_COLUMNS

layout(constant_id = 0) const int COLUMN = 8;

struct Column {
    ivec3 first;
    int end;
};

// A column by its number; x runs fastest, then y, then the parts along z.
Column column_of(uint i, ivec3 size) {
    uint across = uint(size.x) * uint(size.y);
    int part = int(i / across);
    uint rest = i - uint(part) * across;
    int y = int(rest / uint(size.x)), x = int(rest) - y * size.x;
    return Column(ivec3(x, y, part * COLUMN), min((part + 1) * COLUMN, size.z));
}

#endif
