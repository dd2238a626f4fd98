// MacCormack's method (Selle et al. 2008, "An unconditionally stable MacCormack method"): advection back and forth shows the
// error of the first pass, and half of it is taken off. The result stays in the range of the values that the first pass
// interpolates between. The path ahead goes with the velocity that continues those half way back and here, 2 u - u_back: of
// second order, like the path back. Include after flow/path.glsl.
#include "flow/centred.glsl"

// The mean velocity on the way from a value on, m/s.
vec3 flow_ahead(ivec3 i, int axis, vec3 back) {
    vec3 here = flow_in(cell_above(i));
    return bounded(2.0 * (axis < 0 ? here : 0.5 * (flow_in(cell_below(i, axis)) + here)) - back);
}

// Defines float NAME(ivec3 i, int axis, vec3 back, vec3 ahead): the advected value of VALUE, with the first pass FIRST, its
// interpolation FIRST_NEAR and the range of values RANGE.
#define DEFINE_CORRECTED(NAME, VALUE, RANGE, FIRST, FIRST_NEAR) \
    float NAME(ivec3 i, int axis, vec3 back, vec3 ahead) { \
        vec2 range = RANGE(back, axis); \
        if (range.x == range.y) { \
            return range.x; \
        } \
        return clamp(FIRST(i) + 0.5 * (VALUE(i) - FIRST_NEAR(ahead, axis)), range.x, range.y); \
    }
