// Bounds for a corrected advection. The stage reads the velocity, grid.faces and `value`. arg.axis is the location of
// `value`: the axis of the faces, or -1 at centres. Include after flow/open.glsl and flow/trace.glsl.
#pragma argument int axis

// True if the flow carries the value; faces outside the flow and solid cells keep their values.
bool carried(ivec3 cell) {
    return arg.axis >= 0 ? moves(cell, arg.axis) : !is_solid(word_at(cell));
}

// The number, kept between the values around a place, between which linear interpolation works.
float within_range(float number, vec3 place) {
    ivec3 last = space_size(grid_cells) - 1 + (arg.axis >= 0 ? unit(arg.axis) : ivec3(0));
    vec3 from = place - in_space(value_position(AT(ivec3(0))));
    ivec3 corner = clamp(ivec3(floor(from / grid_dx)), ivec3(0), last), beyond = min(corner + 1, last);
    float least = 1.0 / 0.0, most = -least;
    for (int k = 0; k < 8; k++) {
        float near = value(AT(mix(corner, beyond, bvec3(k & 1, k & 2, k & 4))));
        least = min(least, near);
        most = max(most, near);
    }
    return clamp(number, least, most);
}
