#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"
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

#include "pressure/build_faces.glsl"
