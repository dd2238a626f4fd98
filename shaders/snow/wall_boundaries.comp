#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

// The faces that advection does not own. Closed faces are 0. Boundary and outside faces carry the prescribed
// wind: horizontal at the sides, none through top and bottom; lateral boundary faces where it flows out also
// get the correction of balance_flux, so that the net flux through the boundary is zero.
void stage(ivec3 cell) {
    uint faces = air_faces(cell);
    vec3 prescribed = wind(0u);
    float correction = flux(0u).z;
    bool here = (faces & INSIDE) != 0u;

    if ((faces & CLOSED_U) != 0u) {
        set_air_u_star(cell, 0.0);
    } else if (!here || (faces & INSIDE_WEST) == 0u) {
        float outward = outward_u(faces);
        bool outflow = outward * prescribed.x > 0.0;
        set_air_u_star(cell, prescribed.x + (outflow ? outward * correction : 0.0));
    }
    if ((faces & CLOSED_V) != 0u) {
        set_air_v_star(cell, 0.0);
    } else if (!here || (faces & INSIDE_SOUTH) == 0u) {
        float outward = outward_v(faces);
        bool outflow = outward * prescribed.y > 0.0;
        set_air_v_star(cell, prescribed.y + (outflow ? outward * correction : 0.0));
    }
    if ((faces & OPEN_BELOW) == 0u) {
        set_air_w_star(cell, 0.0);
    }
}
