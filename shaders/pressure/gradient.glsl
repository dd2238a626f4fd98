// The pressure accelerates the fluid: u -= dt / (rho h) (p_high - p_low) on the open faces that fluid touches. Beyond an open
// side of the domain the pressure is 0. If the air is nearer than the next centre, the gradient grows in proportion. With the
// pressure of b - A p = r, the outflow of a cell is dt r / (rho h) afterwards.
#include "pressure/stencil.glsl"

#pragma reach grid_p 1
#pragma reach grid_faces 1

struct Gradient {
    // 0 where the face does not move.
    float coefficient;
    float difference;
    // The cells of the face; `high` is that in the domain.
    ivec3 low, high;
    bool at_side;
};

Gradient gradient_across(ivec3 face, int axis) {
    int last = space_size(grid_cells)[axis] - 1;
    ivec3 low = face, high = face;
    bool first = face[axis] == 0, beyond = face[axis] > last;
    low[axis] = first ? last : face[axis] - 1;
    high[axis] = beyond ? last : face[axis];
    uint low_word = grid_faces(AT(low)), high_word = grid_faces(AT(high));
    float low_p = grid_p(AT(low)), high_p = grid_p(AT(high));
    uint open = part_of(high_word, 2 * axis + (beyond ? 1 : 0));
    bool fluid = is_fluid(low_word) || is_fluid(high_word);
    bool at_side = beyond || first && arg.low[axis] != PERIODIC_SIDE;
    if (at_side) {
        fluid = is_fluid(high_word);
        low_p = beyond ? high_p : 0.0;
        high_p = beyond ? 0.0 : high_p;
    }
    return Gradient(open != 0u && fluid ? max(part(open), 1.0) : 0.0, high_p - low_p, low, high, at_side);
}
