#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/tiles.glsl"
#include "pressure/group_sums.glsl"
#include "pressure/rows.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.r grid.z grid.d
#pragma writes grid.s partial_dots
#pragma reach grid_z 1
#pragma reach grid_d 1
#pragma reach grid_r 0
#pragma reach grid_plain 0
#pragma reach grid_s 0
#pragma reach partial_dots 0

// The last smoothing of a cycle, s = z + omega (r - A z) / diagonal, and the sums (s r, s A d) that the next direction and
// step need.

DEFINE_ROW(z_row, vec4, grid_z)
DEFINE_ROW(d_row, vec4, grid_d)
DEFINE_ROW(r_row, vec4, grid_r)
DEFINE_ROW(words_row, uvec4, grid_faces)
DEFINE_SET_ROW(set_s_row, vec4, grid_s)

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    EACH_COLUMN(i) {
        Column column = column_in(group, i, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        ivec3 before = around(cell, size).below;
        vec4 z_below = z_row(before), d_below = d_row(before), z = z_row(cell), d = d_row(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around_row(cell, size);
            Rows zs = Rows(grid_z(AT(at.west)), grid_z(AT(at.east)), z_row(at.south), z_row(at.north), z_below, z_row(at.above));
            Rows ds = Rows(grid_d(AT(at.west)), grid_d(AT(at.east)), d_row(at.south), d_row(at.north), d_below, d_row(at.above));
            vec4 r = r_row(cell);
            if ((MARKS(cell) & PLAIN_ROW) != 0u) {
                Ends ends = ends_of(cell, size);
                vec4 s = z + arg.damping * (r - plain_flux(zs, z, ends)) / plain_diagonal(ends);
                set_s_row(cell, s);
                sums.xy += vec2(sum_of_row(s, r), sum_of_row(s, plain_flux(ds, d, ends)));
            } else {
                uvec4 words = words_row(cell);
                vec4 s = vec4(0.0);
#define FINISH(I) { \
                    ivec3 of_row = cell + ivec3(I, 0, 0); \
                    Parts c = coefficients(words[I], of_row, size); \
                    float own = diagonal(c); \
                    float az = flux(c, RING_IN_ROW(zs, z, I), z[I]) + through_open_sides(words[I], of_row, size, c, z[I]); \
                    float ad = flux(c, RING_IN_ROW(ds, d, I), d[I]) + through_open_sides(words[I], of_row, size, c, d[I]); \
                    s[I] = is_fluid(words[I]) && own > 0.0 ? z[I] + arg.damping * (r[I] - az) / own : 0.0; \
                    sums.xy += s[I] * vec2(r[I], ad); \
                }
                EACH_IN_ROW(FINISH)
                set_s_row(cell, s);
            }
            z_below = z;
            z = zs.above;
            d_below = d;
            d = ds.above;
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_dots(stage_number(group), sums);
    }
}
