#version 460
#include "stage.glsl"
#include "snow/faces.glsl"
#include "snow/boundary.glsl"

// Over one column of lateral boundary faces: the flux of the prescribed wind out of the domain, in units of
// h^2 m/s, and the number of faces through which it flows out. Terrain closes faces, so the sum over all
// columns is not zero by itself; balance_flux makes it so. Top and bottom carry no wind.
void stage(uint index) {
    BoundaryColumn column = boundary_column(index);
    uint closed = column.along_x ? CLOSED_U : CLOSED_V;
    float speed = column.outward * (column.along_x ? wind(0u).x : wind(0u).y);
    float open_faces = 0.0;
    for (int z = 1; z < air_cells.z - 1; z++) {
        open_faces += (air_faces(ivec3(column.cell, z)) & closed) == 0u ? 1.0 : 0.0;
    }
    set_flux_partial(index, vec2(open_faces * speed, speed > 0.0 ? open_faces : 0.0));
}
