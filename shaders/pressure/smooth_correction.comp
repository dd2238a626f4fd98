#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/columns.glsl"

// Damped Jacobi: s = z + omega (r - A z) / diagonal.

float z_at(ivec3 cell) {
    return grid_z(AT(cell));
}

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    Column column = column_in(group.x, local, size);
    ivec3 cell = column.first;
    if (column.end == cell.z) {
        return;
    }
    float below = z_at(around(cell, size).below), z = z_at(cell);
    for (; cell.z < column.end; cell.z++) {
        Around at = around(cell, size);
        uint word = grid_faces(AT(cell));
        float r = grid_r(AT(cell));
        Ring x = Ring(z_at(at.west), z_at(at.east), z_at(at.south), z_at(at.north), below, z_at(at.above));
        Parts c = coefficients(word, cell, size);
        float own = diagonal(c), rest = r - flux(c, x, z) - through_open_sides(word, cell, size, c, z);
        set_grid_s(AT(cell), is_fluid(word) && own > 0.0 ? z + arg.damping * rest / own : 0.0);
        below = z;
        z = x.above;
    }
}
