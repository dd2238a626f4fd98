// The flux of heat (or of anything else that the flow carries, grid.heat) through the sides of cells, by convection and
// diffusion: central differences, conservative. Sides of the domain where arg.held_low or arg.held_high is 1 have the
// temperature arg.heat_low or arg.heat_high; through others and into solids nothing diffuses.
#include "flow/faces.glsl"

#pragma arguments heat
#pragma reach grid_heat 1

// Flux through the side `way` of a cell along `axis`, positive in the direction of the axis.
float heat_flux(ivec3 cell, int axis, int way, float own) {
    int last = space_size(grid_cells)[axis] - 1;
    ivec3 next = cell, face = cell;
    next[axis] += way;
    face[axis] += way > 0 ? 1 : 0;
    float speed = velocity(axis, face);
    bool outside = !periodic(axis) && (next[axis] < 0 || next[axis] > last);
    if (outside && (way < 0 ? arg.held_low : arg.held_high)[axis] != 0.0) {
        float held = (way < 0 ? arg.heat_low : arg.heat_high)[axis];
        return speed * held - 2.0 * arg.diffusivity / grid_dx * float(way) * (held - own);
    }
    if (outside || is_solid(word_at(next))) {
        return speed * own;
    }
    next[axis] = (next[axis] + last + 1) % (last + 1);
    float other = grid_heat(AT(next));
    return speed * 0.5 * (own + other) - arg.diffusivity / grid_dx * float(way) * (other - own);
}
