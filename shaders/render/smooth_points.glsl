// The surface over balls: their depths, averaged along a row or a column with weights that fall off with the distance and
// with the step in depth, so that edges stay (Tomasi & Manduchi 1998; for fluids of particles, van der Laan et al. 2009).
// The tint goes along. A macro, because pictures are read and written by accessors of their own names.

#define SMOOTH_POINTS(pixel, axis, depth_of, tint_of, result)                                     \
    vec2 result = vec2(0.0);                                                                      \
    {                                                                                             \
        float here = depth_of(pixel);                                                             \
        if (here > 0.0) {                                                                         \
            int reach = int(ceil(2.0 * arg.blur));                                                \
            float sum = 0.0;                                                                      \
            for (int k = -reach; k <= reach; k++) {                                               \
                ivec2 other = clamp(pixel + k * axis, ivec2(0), view_size - 1);                   \
                float depth = depth_of(other);                                                    \
                float step_in = (depth - here) / arg.edge;                                        \
                float along = float(k) / arg.blur;                                                \
                float weight = depth > 0.0 ? exp(-along * along - step_in * step_in) : 0.0;       \
                result += weight * vec2(depth, tint_of(other));                                   \
                sum += weight;                                                                    \
            }                                                                                     \
            result /= sum;                                                                        \
        }                                                                                         \
    }
