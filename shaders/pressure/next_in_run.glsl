// A box of cells up to but not including `end`, and iteration over its cells:
//     for (ivec3 cell = run.first; is_in(run, cell); cell = next_in(run, cell))
#ifndef PRESSURE_NEXT_IN_RUN
#define PRESSURE_NEXT_IN_RUN

struct Run {
    ivec3 first, end;
};

bool is_in(Run run, ivec3 cell) {
    return cell.z < run.end.z;
}

ivec3 next_in(Run run, ivec3 cell) {
    bool row_ends = cell.x + 1 >= run.end.x, layer_ends = row_ends && cell.y + 1 >= run.end.y;
    return ivec3(row_ends ? run.first.x : cell.x + 1, layer_ends ? run.first.y : cell.y + int(row_ends), cell.z + int(layer_ends));
}

#endif
