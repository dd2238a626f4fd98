#version 460
#include "stage.glsl"
#include "mesh/cubes.glsl"
#include "mesh/owner.glsl"

#pragma reads first_vertex cases
#pragma writes faces.corners

// The number of the vertex on an edge of a cube, see scripts/marching-cubes.
uint vertex_on(ivec3 cube, uint edge) {
    uint axis = edge >> 2;
    int b = int(edge & 1u), c = int(edge >> 1 & 1u);
    ivec3 corner = cube + (axis == 0u ? ivec3(0, b, c) : axis == 1u ? ivec3(b, 0, c) : ivec3(b, c, 0));
    uint before = crossed_edges(corner) & ((1u << axis) - 1u);
    return first_vertex(corner_number(corner)) + bitCount(before);
}

void stage(uint i) {
    uint face = i - faces_count, number = owner_of(face);
    ivec3 cube = corner_at(number);
    uvec2 edges = cases(inside_corners(cube));
    for (uint k = starts(number); k < face; k++) {
        edges = uvec2(edges.x >> 12 | edges.y << 20, edges.y >> 12);
    }
    set_faces_corners(i, uvec3(vertex_on(cube, edges.x & 15u), vertex_on(cube, edges.x >> 4 & 15u),
                               vertex_on(cube, edges.x >> 8 & 15u)));
}
