#version 460
#include "stage.glsl"

// The vorticity dv/dx - du/dy of a plane flow at the centres of cells, from the velocities at the faces around; 1/s.
// Beyond the sides of the domain stand the outermost values.
float east_at(ivec2 face) {
    return grid_u(ivec2(face.x, clamp(face.y, 0, grid_cells.y - 1)));
}

float north_at(ivec2 face) {
    return grid_v(ivec2(clamp(face.x, 0, grid_cells.x - 1), face.y));
}

void stage(ivec2 cell) {
    const ivec2 X = ivec2(1, 0), Y = ivec2(0, 1);
    float across = north_at(cell + X) + north_at(cell + X + Y) - north_at(cell - X) - north_at(cell - X + Y);
    float along = east_at(cell + Y) + east_at(cell + X + Y) - east_at(cell - Y) - east_at(cell - Y + X);
    set_grid_vorticity(cell, 0.25 / grid_dx * (across - along));
}
