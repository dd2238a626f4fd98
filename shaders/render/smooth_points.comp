#version 460
#include "stage.glsl"

#pragma reads view.surface
#pragma writes view.smoothed
#pragma arguments look.blur look.edge
#pragma argument ivec2 along
#pragma reach view_surface anywhere

// The surface over balls: their depths, averaged along a row or a column with weights that fall off with the distance (arg.blur,
// pixels) and with the step in depth (arg.edge, m), so that edges stay (Tomasi & Manduchi 1998; for fluids of particles, van der
// Laan et al. 2009). The tint is averaged likewise.
void stage(ivec2 pixel) {
    float here = view_surface(pixel).x, sum = 0.0;
    vec2 mean = vec2(0.0);
    if (here > 0.0) {
        int reach = int(ceil(2.0 * arg.blur));
        float per_edge = 1.0 / arg.edge, per_blur = 1.0 / arg.blur;
        ivec2 other = pixel - reach * arg.along;
        for (int k = -reach; k <= reach; k++, other += arg.along) {
            vec2 there = view_surface(clamp(other, ivec2(0), view_size - 1));
            float step_in = (there.x - here) * per_edge, away = float(k) * per_blur;
            float weight = there.x > 0.0 ? exp(-away * away - step_in * step_in) : 0.0;
            mean += weight * there;
            sum += weight;
        }
        mean /= sum;
    }
    set_view_smoothed(pixel, mean);
}
