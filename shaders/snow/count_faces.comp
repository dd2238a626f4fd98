#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "lib/rows.glsl"
#include "snow/faces.glsl"

#pragma reads air.faces
#pragma reduces sum boundary_faces fluid_cells
// It reads no cell beyond its sub-block.
#pragma reach air_faces 0
// On small grids every rank runs it whole, after every rebuild alone.
#pragma whole
#pragma vector_width 4

DEFINE_ROW(faces_row, uvec4, air_faces)

void count(uint faces, inout uvec4 open, inout uint fluid_here) {
    vec2 outward = vec2(outward_u(faces), outward_v(faces));
    open += uvec4(outward.x < 0.0, outward.x > 0.0, outward.y < 0.0, outward.y > 0.0);
    fluid_here += uint(fluid(faces));
}

// Over one sub-block: its open boundary faces by their outward normal, -x +x -y +y, and its fluid cells. Faces normal to z
// carry no wind. One value a sub-block takes less memory than one a cell.
void stage(uint i, ivec3 first_cell) {
    uvec4 open = uvec4(0u);
    uint fluid_here = 0u;
    ivec3 end = min(first_cell + air_sub_cells, air_cells);
    for (int z = first_cell.z; z < end.z; z++) {
        for (int y = first_cell.y; y < end.y; y++) {
            for (int x = first_cell.x; x < end.x; x += stage_width) {
                uvec4 faces = faces_row(ivec3(x, y, z));
                [[unroll]] for (int n = 0; n < stage_width; n++) {
                    count(faces[n], open, fluid_here);
                }
            }
        }
    }
    sum_boundary_faces(open);
    sum_fluid_cells(fluid_here);
}
