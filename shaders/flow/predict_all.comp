#version 460
#include "stage.glsl"
#include "flow/path.glsl"

#pragma reads grid.density grid.heat grid.u grid.v grid.w grid.flow_x grid.flow_y grid.flow_z
#pragma writes grid.density_first grid.heat_first grid.u_first grid.v_first grid.w_first
#pragma reach grid_density 9
#pragma reach grid_heat 9
#pragma reach grid_u 10
#pragma reach grid_v 10
#pragma reach grid_w 10
#pragma reach grid_u_first 1
#pragma reach grid_v_first 1
#pragma reach grid_w_first 1

// The first pass of MacCormack's method (correct_all.comp), which is semi-Lagrangian advection, for all quantities of smoke.

DEFINE_SAMPLE(density_near, grid_density)
DEFINE_SAMPLE(heat_near, grid_heat)
DEFINE_SAMPLE(u_near, grid_u)
DEFINE_SAMPLE(v_near, grid_v)
DEFINE_SAMPLE(w_near, grid_w)

void stage(ivec3 cell) {
    float step = clock.dt / grid_dx;
    vec3 at = vec3(cell) - step * flow_back(cell, -1);
    // All loads come before the first store.
    float density = density_near(at, -1), heat = heat_near(at, -1);
    float u = u_near(vec3(cell) - step * flow_back(cell, 0), 0);
    float v = v_near(vec3(cell) - step * flow_back(cell, 1), 1);
    float w = w_near(vec3(cell) - step * flow_back(cell, 2), 2);
    set_grid_density_first(cell, density);
    set_grid_heat_first(cell, heat);
    set_grid_u_first(cell, u);
    set_grid_v_first(cell, v);
    set_grid_w_first(cell, w);
    // At the end of an axis also the high face.
#define PREDICT_END(AXIS, C) \
    if (cell[AXIS] == grid_cells[AXIS] - 1) { \
        ivec3 high = cell; \
        high[AXIS] += 1; \
        set_grid_##C##_first(high, C##_near(vec3(high) - step * flow_back(high, AXIS), AXIS)); \
    }
    PREDICT_END(0, u)
    PREDICT_END(1, v)
    PREDICT_END(2, w)
}
