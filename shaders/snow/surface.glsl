// The surface that wind and flakes meet: terrain plus snow, in metres.
// Include after stage.glsl in a stage that reads ground.elevation and ground.snow. arg.snow_unit is the depth
// of a unit of snow in metres.
#include "lib/lattice.glsl"

#pragma arguments snow_unit

float vertex_surface(ivec2 vertex) {
    return ground_elevation(vertex) + float(ground_snow(vertex)) * arg.snow_unit;
}

DEFINE_BILINEAR(surface_between, vertex_surface, ground_vertices)

// Bilinear between vertices; beyond the terrain's edge, the height of the edge.
float surface_height(vec2 world) {
    return surface_between(ground_coordinates(world));
}
