// The particles of a cell, when they are sorted by cell: numbers from grid.first up to grid.end.
uint key_of(ivec3 cell, ivec3 cells) {
    return uint((cell.z * cells.y + cell.y) * cells.x + cell.x);
}

ivec3 cell_of(uint key, ivec3 cells) {
    uint row = key / uint(cells.x);
    return ivec3(key % uint(cells.x), row % uint(cells.y), row / uint(cells.y));
}
