#version 460
#include "stage.glsl"

#pragma reads first_vertex first_face
#pragma writes vertex_count face_count

void stage(uint i) {
    set_vertex_count(0u, first_vertex(first_vertex_length - 1u));
    set_face_count(0u, first_face(first_face_length - 1u));
}
