#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/tiles.glsl"
#include "pressure/rows.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.r grid.z
#pragma writes grid.s
#pragma reach grid_z 1
#pragma reach grid_r 0
#pragma reach grid_plain 0
#pragma reach grid_s 0

// Damped Jacobi: s = z + omega (r - A z) / diagonal.

DEFINE_ROW(z_row, vec4, grid_z)
DEFINE_ROW(r_row, vec4, grid_r)
DEFINE_ROW(words_row, uvec4, grid_faces)
DEFINE_SET_ROW(set_s_row, vec4, grid_s)

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    EACH_COLUMN(i) {
        Column column = column_in(group, i, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        vec4 below = z_row(around(cell, size).below), z = z_row(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around_row(cell, size);
            Rows x = Rows(grid_z(AT(at.west)), grid_z(AT(at.east)), z_row(at.south), z_row(at.north), below, z_row(at.above));
            vec4 r = r_row(cell);
            if ((MARKS(cell) & PLAIN_ROW) != 0u) {
                Ends ends = ends_of(cell, size);
                set_s_row(cell, z + arg.damping * (r - plain_flux(x, z, ends)) / plain_diagonal(ends));
            } else {
                uvec4 words = words_row(cell);
                vec4 s = vec4(0.0);
#define SMOOTH_CELL(I) { \
                    ivec3 of_row = cell + ivec3(I, 0, 0); \
                    Parts c = coefficients(words[I], of_row, size); \
                    float own = diagonal(c); \
                    float rest = r[I] - flux(c, RING_IN_ROW(x, z, I), z[I]) - through_open_sides(words[I], of_row, size, c, z[I]); \
                    s[I] = is_fluid(words[I]) && own > 0.0 ? z[I] + arg.damping * rest / own : 0.0; \
                }
                EACH_IN_ROW(SMOOTH_CELL)
                set_s_row(cell, s);
            }
            below = z;
            z = x.above;
        }
    }
}
