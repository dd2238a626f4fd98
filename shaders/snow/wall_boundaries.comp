#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

// The faces that advection does not own. Closed faces are 0. Boundary and outside faces carry the prescribed
// wind: horizontal at the sides, none through top and bottom; lateral boundary faces where it flows out also
// get the correction of balance_flux, so that the net flux through the boundary is zero.
void stage(ivec3 cell) {
    uint bits = air_obstacle(cell);
    bvec3 inside = bvec3(cell.x > 0 && cell.x < air_cells.x - 1, cell.y > 0 && cell.y < air_cells.y - 1,
            cell.z > 0 && cell.z < air_cells.z - 1);
    vec3 prescribed = wind(0u);
    float correction = flux(0u).z;

    if ((bits & CLOSED_U) != 0u) {
        set_air_u_star(cell, 0.0);
    } else if (!all(inside) || cell.x == 1) {
        bool boundary = inside.y && inside.z && (cell.x == 1 || cell.x == air_cells.x - 1);
        float outward = cell.x == 1 ? -1.0 : 1.0;
        bool outflow = boundary && outward * prescribed.x > 0.0;
        set_air_u_star(cell, prescribed.x + (outflow ? outward * correction : 0.0));
    }
    if ((bits & CLOSED_V) != 0u) {
        set_air_v_star(cell, 0.0);
    } else if (!all(inside) || cell.y == 1) {
        bool boundary = inside.x && inside.z && (cell.y == 1 || cell.y == air_cells.y - 1);
        float outward = cell.y == 1 ? -1.0 : 1.0;
        bool outflow = boundary && outward * prescribed.y > 0.0;
        set_air_v_star(cell, prescribed.y + (outflow ? outward * correction : 0.0));
    }
    if ((bits & CLOSED_W) != 0u || !all(inside) || cell.z == 1) {
        set_air_w_star(cell, 0.0);
    }
}
