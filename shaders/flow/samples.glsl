// Linear interpolation in a grid of three axes. Places are in cells from the value with index 0.
#include "pressure/lattice.glsl"

// The last index of the values at a location: the axis of the faces, or -1 at centres.
ivec3 last_of(int axis) {
    return grid_cells - ivec3(axis != 0, axis != 1, axis != 2);
}

// The position of the value with index 0, in cells from the corner of the grid.
vec3 start_of(int axis) {
    return vec3(axis == 0 ? 0.0 : 0.5, axis == 1 ? 0.0 : 0.5, axis == 2 ? 0.0 : 0.5);
}

float interpolated(vec4 low, vec4 high, vec3 part) {
    vec2 low_row = fma(part.xx, low.yw - low.xz, low.xz), high_row = fma(part.xx, high.yw - high.xz, high.xz);
    float v0 = fma(part.y, low_row.y - low_row.x, low_row.x), v1 = fma(part.y, high_row.y - high_row.x, high_row.x);
    return fma(part.z, v1 - v0, v0);
}

// Linear interpolation: float NAME(vec3 at, int axis), between the values of a field around a place. Beyond the outermost
// values, the border of the channel applies.
#define DEFINE_SAMPLE(NAME, FIELD) \
    float NAME(vec3 at, int axis) { \
        vec3 low = floor(at); \
        ivec3 a = ivec3(low); \
        if (any(greaterThanEqual(uvec3(a), uvec3(last_of(axis))))) { \
            return sample_##FIELD(grid_origin + (at + start_of(axis)) * grid_dx); \
        } \
        vec3 part = at - low; \
        float v000 = FIELD(a), v100 = FIELD(a + ivec3(1, 0, 0)); \
        float v010 = FIELD(a + ivec3(0, 1, 0)), v110 = FIELD(a + ivec3(1, 1, 0)); \
        float v001 = FIELD(a + ivec3(0, 0, 1)), v101 = FIELD(a + ivec3(1, 0, 1)); \
        float v011 = FIELD(a + ivec3(0, 1, 1)), v111 = FIELD(a + ivec3(1, 1, 1)); \
        return interpolated(vec4(v000, v100, v010, v110), vec4(v001, v101, v011, v111), part); \
    }

float min_of(vec4 low, vec4 high) {
    vec4 lowest = min(low, high);
    return min(min(lowest.x, lowest.y), min(lowest.z, lowest.w));
}

float max_of(vec4 low, vec4 high) {
    vec4 highest = max(low, high);
    return max(max(highest.x, highest.y), max(highest.z, highest.w));
}

// Defines vec2 NAME(vec3 at, int axis): the smallest and the largest of the eight values of FIELD around a place.
#define DEFINE_RANGE(NAME, FIELD) \
    vec2 NAME(vec3 at, int axis) { \
        ivec3 last = last_of(axis), a = clamp(ivec3(floor(at)), ivec3(0), last), b = min(a + 1, last); \
        vec4 low = vec4(FIELD(a), FIELD(ivec3(b.x, a.yz)), FIELD(ivec3(a.x, b.y, a.z)), FIELD(ivec3(b.xy, a.z))); \
        vec4 high = vec4(FIELD(ivec3(a.xy, b.z)), FIELD(ivec3(b.x, a.y, b.z)), FIELD(ivec3(a.x, b.yz)), FIELD(b)); \
        return vec2(min_of(low, high), max_of(low, high)); \
    }
