#version 460
#include "stage.glsl"
#include "mesh/cubes.glsl"

#pragma reads cases
#pragma writes first_vertex first_face

// The vertices on the edges from a corner, and the triangles of its cube.
void stage(uint i) {
    uint vertices = 0u, faces = 0u;
    // The last element is for the total.
    if (i + 1u < first_vertex_length) {
        ivec3 corner = corner_at(i);
        vertices = bitCount(crossed_edges(corner));
        if (are_cubes(corner, corner + 1)) {
            uvec2 edges = cases(inside_corners(corner));
            for (; (edges.x & 15u) != 15u && faces < 5u; faces++) {
                edges = uvec2(edges.x >> 12 | edges.y << 20, edges.y >> 12);
            }
        }
    }
    set_first_vertex(i, vertices);
    set_first_face(i, faces);
}
