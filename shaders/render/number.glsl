// Single numbers from values of any type, and 2-D lattices as 3-D lattices with one layer.

float number(float v) { return v; }
float number(int v) { return float(v); }
float number(uint v) { return float(v); }
float number(vec2 v) { return length(v); }
float number(vec3 v) { return length(v); }
float number(vec4 v) { return length(v); }

ivec3 in_space(ivec2 v) { return ivec3(v, 1); }
ivec3 in_space(ivec3 v) { return v; }
// Positions of a plane have z = 0, its cells a height of 1 there.
vec3 in_space(vec2 v, float z) { return vec3(v, z); }
vec3 in_space(vec3 v, float z) { return v; }
ivec2 index_like(ivec2 cells, ivec3 i) { return i.xy; }
ivec3 index_like(ivec3 cells, ivec3 i) { return i; }
