#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

#pragma writes grid.cell_type
#pragma arguments basin

// A square basin of solid cells: its floor is arg.thick (m) high, its walls are arg.thick thick and arg.height high, and
// its inside extends from arg.low to arg.high (m) in x and y.
void stage(ivec3 cell) {
    vec3 place = grid_position(cell);
    bool inside = all(greaterThan(place.xy, arg.low)) && all(lessThan(place.xy, arg.high));
    bool within = all(greaterThan(place.xy, arg.low - arg.thick)) && all(lessThan(place.xy, arg.high + arg.thick));
    bool solid = within && place.z < (inside ? arg.thick : arg.height);
    set_grid_cell_type(cell, solid ? SOLID_CELL : AIR_CELL);
}
