// The velocities of lower faces that advection does not own, m/s. Closed faces are 0. Boundary and outside faces carry the
// prescribed wind: horizontal at the sides, none through top and bottom; lateral boundary faces where it flows out also
// get a correction, so that the net flux through the boundary is zero. Include after faces.glsl in a stage that reads
// `wind` and `boundary_faces`.

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

// Of a lower face along x or y that is not an open inner one; `outward` is the sign of its outward normal on the boundary.
float boundary_speed(bool is_closed, float outward, float prescribed, float correction) {
    float open = prescribed + (outward * prescribed > 0.0 ? outward * correction : 0.0);
    return is_closed ? 0.0 : open;
}

// Of the lower faces of a cell with the bits `faces`, each for the case that it is not an open inner one; `open` are the
// open boundary faces.
vec3 boundary_wind(uint faces, vec3 prescribed, uvec4 open) {
    float correction = outflow_correction(open, prescribed);
    return vec3(boundary_speed((faces & CLOSED_U) != 0u, outward_u(faces), prescribed.x, correction),
            boundary_speed((faces & CLOSED_V) != 0u, outward_v(faces), prescribed.y, correction), 0.0);
}
