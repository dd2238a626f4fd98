#version 460
#include "stage.glsl"

float w_near(vec3 place) {
    return sample_grid_w(place);
}

#include "flow/open.glsl"
#include "flow/trace.glsl"

// MacCormack's method (Selle et al. 2008, "An unconditionally stable MacCormack method"): advection back and forth shows
// the error of the first pass, `first`, and half of it is taken off. The result stays in the range of the values that the
// first pass interpolates between. arg.axis is the axis of the faces, or -1 at centres; faces that do not belong to the
// flow, and solid cells, keep their value.
STAGE_IN_SPACE {
    vec3 place = in_space(value_position(AT(cell)));
    vec3 ahead = trace(place, clock.dt);
    float own = value(AT(cell)), back = sample_first(PLACE(ahead));
    float corrected = first(AT(cell)) + 0.5 * (own - back);

    ivec3 last = space_size(grid_cells) - 1 + (arg.axis >= 0 ? unit(arg.axis) : ivec3(0));
    vec3 from = trace(place, -clock.dt) - in_space(value_position(AT(ivec3(0))));
    ivec3 corner = clamp(ivec3(floor(from / grid_dx)), ivec3(0), last), beyond = min(corner + 1, last);
    float least = 1.0 / 0.0, most = -least;
    for (int k = 0; k < 8; k++) {
        float near = value(AT(mix(corner, beyond, bvec3(k & 1, k & 2, k & 4))));
        least = min(least, near);
        most = max(most, near);
    }
    bool flows = arg.axis >= 0 ? moves(cell, arg.axis) : !is_solid(word_at(cell));
    set_next(AT(cell), flows ? clamp(corrected, least, most) : own);
}
