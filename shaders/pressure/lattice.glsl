// One text for grids of two and of three axes: cells have three coordinates, and z is 0 in a 2-D grid. Include after
// stage.glsl in a stage that uses a grid under the name `grid`. Positions, in m, likewise.
#ifndef PRESSURE_LATTICE
#define PRESSURE_LATTICE

ivec3 in_space(ivec2 cell) {
    return ivec3(cell, 0);
}

ivec3 in_space(ivec3 cell) {
    return cell;
}

vec3 in_space(vec2 place) {
    return vec3(place, 0.0);
}

vec3 in_space(vec3 place) {
    return place;
}

ivec3 space_size(ivec2 cells) {
    return ivec3(cells, 1);
}

ivec3 space_size(ivec3 cells) {
    return cells;
}

ivec2 in_lattice(ivec3 cell, ivec2 cells) {
    return cell.xy;
}

ivec3 in_lattice(ivec3 cell, ivec3 cells) {
    return cell;
}

vec2 in_lattice(vec3 place, vec2 spacing) {
    return place.xy;
}

vec3 in_lattice(vec3 place, vec3 spacing) {
    return place;
}

// The index that the accessors of `grid` take.
#define AT(CELL) in_lattice(CELL, grid_cells)

// Defines the function of a stage over the cells of a grid, for both kinds of grid: its body follows.
#define STAGE_IN_SPACE \
    void each(ivec3 cell); \
    void stage(ivec2 cell) { \
        each(ivec3(cell, 0)); \
    } \
    void stage(ivec3 cell) { \
        each(cell); \
    } \
    void each(ivec3 cell)

#endif
