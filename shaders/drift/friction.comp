#version 460
#include "stage.glsl"
#include "drift/ground.glsl"
#include "drift/constants.glsl"
#include "drift/wind.glsl"

#pragma reads grid.u grid.v grid.w ground.elevation ground.snow
#pragma writes ground.friction
#pragma arguments roughness sample_height
#pragma reach ground_elevation 2
#pragma reach ground_snow 2
#pragma reach grid_u 2
#pragma reach grid_v 2
#pragma reach grid_w 2

// The friction velocity at a column, along the wind, m/s: from the wind along the surface at arg.sample_height cells above it,
// by the law u = u* / kappa ln(z / z0) (Prandtl 1932; z0 is arg.roughness). Between two rows of cells, the wind is linear in
// ln z, so that this law is exact.
vec2 friction_at(ivec2 column) {
    float surface = height(column), from = arg.sample_height * grid_dx;
    float row = (surface + from - grid_origin.z) / grid_dx - 0.5;
    int low = clamp(int(floor(row)), 0, grid_cells.z - 2);
    float z = max(grid_origin.z + (float(low) + 0.5) * grid_dx - surface, 0.01 * grid_dx);
    float part = log(from / z) / log((z + grid_dx) / z);
    vec3 here = mix(wind(ivec3(column, low)), wind(ivec3(column, low + 1)), part);
    vec2 slope = vec2(height(column + ivec2(1, 0)) - height(column - ivec2(1, 0)),
                      height(column + ivec2(0, 1)) - height(column - ivec2(0, 1))) / (2.0 * grid_dx);
    vec3 normal = normalize(vec3(-slope, 1.0));
    vec3 along = here - dot(here, normal) * normal;
    vec2 direction = along.xy / max(length(along.xy), 1e-9);
    return KARMAN * length(along) / log(from * normal.z / arg.roughness) * direction;
}

// The mean over 3 x 3 columns with weights of 1, 2, 1: filtered (Bou-Zeid, Meneveau & Parlange 2005, "A scale-dependent
// Lagrangian dynamic model for large eddy simulation of complex turbulent flows"), so that waves of two cells, which the wind
// does not resolve, grow less on the ground.
void stage(ivec2 column) {
    vec2 sum = vec2(0.0);
    for (int n = 0; n < 9; n++) {
        ivec2 aside = ivec2(n % 3, n / 3) - 1;
        sum += float((2 - abs(aside.x)) * (2 - abs(aside.y))) * friction_at(fold(column + aside));
    }
    set_ground_friction(column, sum / 16.0);
}
