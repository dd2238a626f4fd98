#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"
#include "pressure/cell_types.glsl"
#include "pressure/sides.glsl"

#pragma reads grid.cell_type grid.distance grid.solid
#pragma writes grid.faces
#pragma reach grid_cell_type 1
#pragma reach grid_solid 1
#pragma reach grid_distance 1

// The faces of each cell from the types of cells: a face is open if no solid touches it. Beyond an open side there is no
// cell: `beside` is the cell itself.

#if HAS_grid_solid
#include "pressure/fractions.glsl"

// Faces that a solid cuts are open in part, in 1/16. grid.solid is positive outside the solid, at the corners of cells.
// In a plane a face is a line, and the square whose values do not change along z has its part.
uint open_part(ivec3 cell, ivec3 beside, int face) {
    ivec3 one = ivec3(0), other = ivec3(0);
    one[(face / 2 + 1) % 3] = 1;
    other[(face / 2 + 2) % 3] = 1;
    ivec3 corner = cell;
    corner[face / 2] += face & 1;
    return bits_of(open_part_of_square(vec4(grid_solid(AT(corner)), grid_solid(AT(corner + one)),
                                            grid_solid(AT(corner + one + other)), grid_solid(AT(corner + other)))));
}
#elif HAS_grid_distance
// The distance from the surface (m), negative in fluid, says where between the centres of a cell of fluid and one of air the
// pressure is 0: at the part t = d_fluid / (d_fluid - d_air) of the way, so the coefficient of the face is 1 / t (Gibou, Fedkiw,
// Cheng & Kang 2002, "A second-order-accurate symmetric discretization of the Poisson equation on irregular domains", equation
// 19), with t at least 1/16.
uint open_part(ivec3 cell, ivec3 beside, int face) {
    float own = grid_distance(AT(cell)), other = grid_distance(AT(beside));
    bool fluid = grid_cell_type(AT(cell)) == FLUID_CELL;
    if (fluid == (grid_cell_type(AT(beside)) == FLUID_CELL)) {
        return WHOLE;
    }
    float wet = max(-(fluid ? own : other), 0.0), dry = max(fluid ? other : own, 0.0);
    return wet + dry > 0.0 ? bits_of((wet + dry) / max(wet, (wet + dry) / 16.0)) : WHOLE;
}
#else
uint open_part(ivec3 cell, ivec3 beside, int face) {
    return WHOLE;
}
#endif

bool is_solid(ivec3 cell) {
    return grid_cell_type(AT(cell)) == SOLID_CELL;
}

STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    uint word = 0u;
    if (!is_solid(cell)) {
        word = grid_cell_type(AT(cell)) == FLUID_CELL ? FLUID : 0u;
        for (int face = 0; face < 6; face++) {
            int axis = face / 2, way = 2 * (face & 1) - 1;
            int side = way < 0 ? arg.low[axis] : arg.high[axis];
            ivec3 beside = cell;
            beside[axis] += way;
            bool inside = beside[axis] >= 0 && beside[axis] < size[axis];
            bool meets = inside || side == PERIODIC_SIDE;
            beside[axis] = meets ? (beside[axis] + size[axis]) % size[axis] : cell[axis];
            bool open = meets ? !is_solid(beside) : side == OPEN_SIDE;
            word |= open ? open_part(cell, beside, face) << 5 * face : 0u;
            word |= open && !inside && side == OPEN_SIDE ? AT_OPEN_SIDE : 0u;
        }
    }
    set_grid_faces(AT(cell), word);
}
