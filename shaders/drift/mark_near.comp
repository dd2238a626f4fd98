#version 460
#include "stage.glsl"
#include "drift/ground.glsl"

#pragma reads ground.built ground.near ground.elevation ground.snow
#pragma writes ground.nearer
#pragma arguments eddies
#pragma reach ground_built 0
#pragma reach ground_near 1

// One pass: 1 where an obstacle stands, and 1 / arg.reach less per metre from it, from column to column.
void stage(ivec2 column) {
    float near = ground_built(column) != 0u ? 1.0 : 0.0;
    for (int n = 0; n < 9; n++) {
        ivec2 aside = ivec2(n % 3, n / 3) - 1;
        near = max(near, ground_near(fold(column + aside)) - length(vec2(aside)) * ground_spacing.x / max(arg.reach, 1e-6));
    }
    set_ground_nearer(column, near);
}
