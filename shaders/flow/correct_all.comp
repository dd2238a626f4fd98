#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/path.glsl"
#include "flow/corrected.glsl"
#include "flow/face_moves.glsl"

#pragma reads grid.density grid.heat grid.u grid.v grid.w grid.flow_x grid.flow_y grid.flow_z grid.faces grid.plain
#pragma reads grid.density_first grid.heat_first grid.u_first grid.v_first grid.w_first
#pragma writes grid.density_next grid.heat_next grid.u_next grid.v_next grid.w_next
#pragma reach grid_density 9
#pragma reach grid_density_first 9
#pragma reach grid_heat 9
#pragma reach grid_heat_first 9
#pragma reach grid_u 10
#pragma reach grid_u_first 10
#pragma reach grid_v 10
#pragma reach grid_v_first 10
#pragma reach grid_w 10
#pragma reach grid_w_first 10
#pragma reach grid_u_next 1
#pragma reach grid_v_next 1
#pragma reach grid_w_next 1

// The second pass of MacCormack's method for all quantities of smoke, after predict_all.comp.

DEFINE_SAMPLE(density_first_near, grid_density_first)
DEFINE_SAMPLE(heat_first_near, grid_heat_first)
DEFINE_SAMPLE(u_first_near, grid_u_first)
DEFINE_SAMPLE(v_first_near, grid_v_first)
DEFINE_SAMPLE(w_first_near, grid_w_first)
DEFINE_RANGE(density_range, grid_density)
DEFINE_RANGE(heat_range, grid_heat)
DEFINE_RANGE(u_range, grid_u)
DEFINE_RANGE(v_range, grid_v)
DEFINE_RANGE(w_range, grid_w)
DEFINE_CORRECTED(corrected_density, grid_density, density_range, grid_density_first, density_first_near)
DEFINE_CORRECTED(corrected_heat, grid_heat, heat_range, grid_heat_first, heat_first_near)
DEFINE_CORRECTED(corrected_u, grid_u, u_range, grid_u_first, u_first_near)
DEFINE_CORRECTED(corrected_v, grid_v, v_range, grid_v_first, v_first_near)
DEFINE_CORRECTED(corrected_w, grid_w, w_range, grid_w_first, w_first_near)

void stage(ivec3 cell) {
    float step = clock.dt / grid_dx;
    uint marks = marks_of(cell);
    bool solid = (marks & PLAIN_BUT_ENDS) == 0u && is_solid(grid_faces(cell));
    vec3 back = flow_back(cell, -1), from = vec3(cell) - step * back, to = vec3(cell) + step * flow_ahead(cell, -1, back);
    // All loads come before the first store.
    float density = solid ? grid_density(cell) : corrected_density(cell, -1, from, to);
    float heat = solid ? grid_heat(cell) : corrected_heat(cell, -1, from, to);
    float u, v, w;
#define CORRECT_FACE(I, AXIS, C) \
    if (face_moves(I, cell, AXIS, marks)) { \
        back = flow_back(I, AXIS); \
        C = corrected_##C(I, AXIS, vec3(I) - step * back, vec3(I) + step * flow_ahead(I, AXIS, back)); \
    } else { \
        C = grid_##C(I); \
    }
    CORRECT_FACE(cell, 0, u)
    CORRECT_FACE(cell, 1, v)
    CORRECT_FACE(cell, 2, w)
    set_grid_density_next(cell, density);
    set_grid_heat_next(cell, heat);
    set_grid_u_next(cell, u);
    set_grid_v_next(cell, v);
    set_grid_w_next(cell, w);
    // At the end of an axis also the high face.
#define CORRECT_END(AXIS, C) \
    if (cell[AXIS] == grid_cells[AXIS] - 1) { \
        ivec3 high = cell; \
        high[AXIS] += 1; \
        CORRECT_FACE(high, AXIS, C) \
        set_grid_##C##_next(high, C); \
    }
    CORRECT_END(0, u)
    CORRECT_END(1, v)
    CORRECT_END(2, w)
}
