// The box of `grid`, in two dimensions one that is 1 m high.
#include "render/number.glsl"

vec3 box_low() { return in_space(grid_origin, 0.0); }
vec3 box_sides() { return vec3(in_space(grid_cells)) * in_space(grid_spacing, 1.0); }
