#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "snow/faces.glsl"

#pragma reads air.faces
#pragma reduces sum boundary_faces fluid_cells
// It reads no cell beyond its sub-block.
#pragma reach air_faces 0
// On small grids every rank runs it whole, after every rebuild alone.
#pragma whole

// Cells of a row whose loads overlap.
const int AT_ONCE = 8;

// Over one sub-block: its open boundary faces by their outward normal, -x +x -y +y, and its fluid cells. Faces normal to z
// carry no wind. One value a sub-block takes less memory than one a cell.
void stage(uint i, ivec3 first_cell) {
    uvec4 open = uvec4(0u);
    uint fluid_here = 0u;
    ivec3 end = min(first_cell + air_sub_cells, air_cells);
    for (int z = first_cell.z; z < end.z; z++) {
        for (int y = first_cell.y; y < end.y; y++) {
            for (int x = first_cell.x; x < end.x; x += AT_ONCE) {
                [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                    uint faces = air_faces(ivec3(min(x + n, end.x - 1), y, z));
                    faces = x + n < end.x ? faces : 0u;
                    vec2 outward = vec2(outward_u(faces), outward_v(faces));
                    open += uvec4(outward.x < 0.0, outward.x > 0.0, outward.y < 0.0, outward.y > 0.0);
                    fluid_here += uint(fluid(faces));
                }
            }
        }
    }
    sum_boundary_faces(open);
    sum_fluid_cells(fluid_here);
}
