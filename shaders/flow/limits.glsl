// Bounds for a corrected advection. The stage reads grid.faces and the velocity. Include after flow/open.glsl.
#include "flow/corner.glsl"

// True if the flow carries the value at a location; faces outside the flow and solid cells keep their values.
bool carried(ivec3 cell, int axis) {
    return axis >= 0 ? moves(cell, axis) : !is_solid(word_at(cell));
}

// Defines float NAME(float number, ivec3 corner, int axis): the number, kept between the eight values from a corner on.
#define DEFINE_WITHIN_RANGE(NAME, VALUE) \
    float NAME(float number, ivec3 corner, int axis) { \
        ivec3 beyond = min(corner + 1, last_index(axis)); \
        float least = 1.0 / 0.0, most = -least; \
        for (int k = 0; k < 8; k++) { \
            float near = VALUE(AT(mix(corner, beyond, bvec3(k & 1, k & 2, k & 4)))); \
            least = min(least, near); \
            most = max(most, near); \
        } \
        return clamp(number, least, most); \
    }
