#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.u grid.v
#pragma writes grid.u_next grid.v_next
#pragma arguments feed kill diffusion
#pragma reach grid_u 1
#pragma reach grid_v 1

// One explicit Euler step of the Gray-Scott model (Pearson 1993; docs/examples.md, equations 1 and 2), with the Laplacian of
// 5 points in a plane and 7 in space. The borders of the channels say what lies beyond the grid.
STAGE_IN_SPACE {
    vec2 here = vec2(grid_u(AT(cell)), grid_v(AT(cell))), spread = vec2(0.0);
    for (int axis = 0; axis < grid_cells.length(); axis++) {
        ivec3 aside = ivec3(0);
        aside[axis] = 1;
        ivec3 low = cell - aside, high = cell + aside;
        vec2 around = vec2(grid_u(AT(low)), grid_v(AT(low))) + vec2(grid_u(AT(high)), grid_v(AT(high)));
        spread += (around - 2.0 * here) / (grid_spacing[axis] * grid_spacing[axis]);
    }
    float reaction = here.x * here.y * here.y;
    vec2 rate = vec2(arg.feed * (1.0 - here.x) - reaction, reaction - (arg.feed + arg.kill) * here.y);
    vec2 next = here + clock.dt * (arg.diffusion * spread + rate);
    set_grid_u_next(AT(cell), next.x);
    set_grid_v_next(AT(cell), next.y);
}
