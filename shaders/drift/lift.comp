#version 460
#include "stage.glsl"
#include "drift/ground.glsl"
#include "drift/part.glsl"
#include "drift/suspension.glsl"
#include "pressure/faces.glsl"

#pragma reads grid.faces grid.suspended ground.elevation ground.snow ground.salt ground.friction ground.built
#pragma writes grid.suspended ground.salt
#pragma reach ground_elevation 0
#pragma reach ground_snow 0
#pragma reach ground_salt 0
#pragma reach ground_friction 0
#pragma reach ground_built 0

// Snow between the saltation layer and the lowest cell of air above it. From the top of the layer to the middle of the
// cell, the eddy diffusivity kappa u* z carries snow at the speed kappa u* / ln(z / top) both ways; snow falls at arg.fall.
// Snow in cells that the surface has reached returns to the layer.
void stage(ivec2 column) {
#if HAS_ground_built
    if (ground_built(column) != 0u) {
        return;
    }
#endif
    uint salt = ground_salt(column);
    int k = 0;
    for (; k < grid_cells.z - 1 && !is_fluid(grid_faces(ivec3(column, k))); k++) {
        salt += grid_suspended(ivec3(column, k));
        set_grid_suspended(ivec3(column, k), 0u);
    }
    ivec3 cell = ivec3(column, k);
    float friction = length(ground_friction(column));
    float top = top_of_saltation(friction);
    float middle = max(grid_origin.z + (float(k) + 0.5) * grid_dx - height(column), 0.5 * grid_dx);
    float exchange = friction > 1e-3 ? KARMAN * friction / max(log(middle / top), 1.0) : 0.0;
    uint air = grid_suspended(cell), air_left = air, salt_left = salt;
    uint up = part_with(salt, min(clock.dt * exchange * concentration_at_top(friction), 0.5), salt_left);
    uint down = part_with(air, min(clock.dt * (exchange + arg.fall) / grid_dx, 1.0), air_left);
    set_ground_salt(column, salt_left + down);
    set_grid_suspended(cell, air_left + up);
}
