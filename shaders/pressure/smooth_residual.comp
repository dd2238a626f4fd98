#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/tiles.glsl"
#include "pressure/rows.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.r
#pragma writes grid.s
#pragma reach grid_r 1
#pragma reach grid_relative_density 2
#pragma reach grid_plain 0
#pragma reach grid_s 0
#pragma arguments sweeps

// Two sweeps of damped Jacobi from 0: z = omega_1 r / diagonal, s = z + omega_2 (r - A z) / diagonal.

DEFINE_ROW(r_row, vec4, grid_r)
DEFINE_ROW(words_row, uvec4, grid_faces)
DEFINE_SET_ROW(set_s_row, vec4, grid_s)

float first_sweep(uint word, ivec3 cell, float r) {
    float own = diagonal(coefficients(word, cell, space_size(grid_cells)));
    return is_fluid(word) && own > 0.0 ? arg.sweeps.x * r / own : 0.0;
}

float z_at(ivec3 cell) {
    return first_sweep(grid_faces(AT(cell)), cell, grid_r(AT(cell)));
}

vec4 z_row(ivec3 cell) {
    uvec4 words = words_row(cell);
    vec4 r = r_row(cell), z = vec4(0.0);
#define FIRST_SWEEP(I) z[I] = first_sweep(words[I], cell + ivec3(I, 0, 0), r[I]);
    EACH_IN_ROW(FIRST_SWEEP)
    return z;
}

DEFINE_FLUX(flux_of_z, z_at)

float smoothed(ivec3 cell, ivec3 size) {
    uint word = grid_faces(AT(cell));
    Parts c = coefficients(word, cell, size);
    float own = diagonal(c), z = z_at(cell);
    return is_fluid(word) && own > 0.0 ? z + arg.sweeps.y * (grid_r(AT(cell)) - flux_of_z(word, cell, size, c, z)) / own : 0.0;
}

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    EACH_COLUMN(i) {
        Column column = column_in(group, i, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        vec4 r_below = r_row(around(cell, size).below), r = r_row(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around_row(cell, size);
            vec4 r_above = r_row(at.above);
            if ((MARKS(cell) & PLAIN_AROUND) != 0u) {
                // The rows around have the same diagonals.
                Ends ends = ends_of(cell, size);
                vec4 over = 1.0 / plain_diagonal(ends), scale = arg.sweeps.x * over, z = scale * r;
                float inner = arg.sweeps.x / 6.0;
                Rows x = Rows(inner * grid_r(AT(at.west)), inner * grid_r(AT(at.east)), scale * r_row(at.south),
                              scale * r_row(at.north), scale * r_below, scale * r_above);
                set_s_row(cell, z + arg.sweeps.y * over * (r - plain_flux(x, z, ends)));
            } else if (PLAIN != 0) {
                [[dont_unroll]] for (int k = 0; k < stage_width; k++) {
                    set_grid_s(AT(cell + ivec3(k, 0, 0)), smoothed(cell + ivec3(k, 0, 0), size));
                }
            } else {
                vec4 s = vec4(0.0);
                uvec4 words = words_row(cell);
                vec4 z = z_row(cell);
                Rows x = Rows(z_at(at.west), z_at(at.east), z_row(at.south), z_row(at.north), z_row(at.below), z_row(at.above));
#define SECOND_SWEEP(I) { \
                    ivec3 of_row = cell + ivec3(I, 0, 0); \
                    Parts c = coefficients(words[I], of_row, size); \
                    float own = diagonal(c); \
                    float rest = r[I] - flux(c, RING_IN_ROW(x, z, I), z[I]) - through_open_sides(words[I], of_row, size, c, z[I]); \
                    s[I] = is_fluid(words[I]) && own > 0.0 ? z[I] + arg.sweeps.y * rest / own : 0.0; \
                }
                EACH_IN_ROW(SECOND_SWEEP)
                set_s_row(cell, s);
            }
            r_below = r;
            r = r_above;
        }
    }
}
