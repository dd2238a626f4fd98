#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

#pragma reads air.faces wind boundary_faces
#pragma writes air.u_star air.v_star air.w_star

// The correction of the outward velocity on each outflow face, m/s; `open` are the open boundary faces by their outward normal,
// -x +x -y +y. A flow without sources needs as much air out as in: a pure Neumann problem has no solution otherwise.
// Terrain closes some of the boundary, so the net outward flux of the prescribed wind is spread over the outflow faces.
// Without outflow faces there is nothing to correct: calm air, or terrain that walls off every downwind side.
float outflow_correction(uvec4 open, vec3 wind) {
    vec4 faces = vec4(open);
    float net = (faces.y - faces.x) * wind.x + (faces.w - faces.z) * wind.y;
    float out_x = wind.x > 0.0 ? faces.y : (wind.x < 0.0 ? faces.x : 0.0);
    float out_y = wind.y > 0.0 ? faces.w : (wind.y < 0.0 ? faces.z : 0.0);
    float outflow = out_x + out_y;
    return outflow > 0.0 ? -net / outflow : 0.0;
}

// The faces that advection does not own. Closed faces are 0. Boundary and outside faces carry the prescribed
// wind: horizontal at the sides, none through top and bottom; lateral boundary faces where it flows out also
// get a correction, so that the net flux through the boundary is zero.
void stage(ivec3 cell) {
    uint faces = air_faces(cell);
    vec3 prescribed = wind(0u);
    float correction = outflow_correction(boundary_faces(0u), prescribed);
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
