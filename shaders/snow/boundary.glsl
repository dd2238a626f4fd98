// The columns of interior cells along the four lateral sides of the air, numbered 0 .. 2 (nx-2) + 2 (ny-2):
// west (-x), east (+x), south (-y), north (+y). Corners of the grid belong to no side.

uint boundary_columns() {
    return 2u * uint(air_cells.x - 2) + 2u * uint(air_cells.y - 2);
}

// The column's cells hold the boundary faces at their lower x or y side.
struct BoundaryColumn {
    ivec2 cell;
    bool along_x;   // faces normal to x (u) rather than y (v)
    float outward;  // sign of the outward normal
};

BoundaryColumn boundary_column(uint number) {
    int n = int(number);
    ivec2 inner = air_cells.xy - 2;
    if (n < inner.y) {
        return BoundaryColumn(ivec2(1, n + 1), true, -1.0);
    }
    n -= inner.y;
    if (n < inner.y) {
        return BoundaryColumn(ivec2(air_cells.x - 1, n + 1), true, 1.0);
    }
    n -= inner.y;
    if (n < inner.x) {
        return BoundaryColumn(ivec2(n + 1, 1), false, -1.0);
    }
    n -= inner.x;
    return BoundaryColumn(ivec2(n + 1, air_cells.y - 1), false, 1.0);
}
