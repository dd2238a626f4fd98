#version 460
#include "stage.glsl"
#include "pressure/direction.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.s grid.d partial_dots dq
#pragma writes grid.d_next partial_dq

// Flexible conjugate gradients (Notay 2000, "Flexible conjugate gradients", with the last direction only): s is the residual
// preconditioned by a multigrid cycle, beta = -(s A d) / (d A d) with the last direction. The cycle need not be symmetric.

DEFINE_TOTAL(total_dots, partial_dots, partial_dots_length)

void stage(uvec3 group, uint local) {
    vec4 dots = total_dots(local);  // s r, s A d
    float before = dq(0u);
    beta = before > 0.0 ? -dots.y / before : 0.0;
    search(group, local);
}
