// Velocities at the faces of a MAC grid (Harlow & Welch 1965, "Numerical calculation of time-dependent viscous
// incompressible flow"), for grids of two and of three axes. The stage reads the velocity.
// arg.low_x to arg.high_z are the velocities of walls; arg.slip_low and
// arg.slip_high are 1 for walls that do not hold the fluid along them.
#include "flow/open.glsl"

#pragma arguments walls
#pragma argument int axis
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

#if HAS_grid_w
const int AXES = 3;

float w_at(ivec3 face) {
    return grid_w(AT(face));
}
#else
const int AXES = 2;

float w_at(ivec3 face) {
    return 0.0;
}
#endif

float velocity(int axis, ivec3 face) {
    return axis == 0 ? grid_u(AT(face)) : axis == 1 ? grid_v(AT(face)) : w_at(face);
}

// The next value along an axis.
struct Beside {
    float value;
    ivec3 face;
    bool real;  // a face of the flow or of a wall, not one beyond a wall or a side
};

vec3 wall(int axis, int way) {
    return axis == 0 ? way < 0 ? arg.low_x : arg.high_x : axis == 1 ? way < 0 ? arg.low_y : arg.high_y
                                                                    : way < 0 ? arg.low_z : arg.high_z;
}

// The velocity of the neighbour of a face of `axis`, along `along` to the side `way` (-1 or 1). Beyond a no-slip wall
// it is a ghost value: the mean of both values is the wall's velocity. Beyond a slip wall or an open side it equals
// `own`.
Beside beside(ivec3 face, int axis, int along, int way, float own) {
    int cells = space_size(grid_cells)[along];
    ivec3 next = face;
    next[along] += way;
    if (periodic(along)) {
        next[along] = (next[along] + cells) % cells;
    } else if (next[along] < 0 || next[along] >= cells + (along == axis ? 1 : 0)) {
        bool open = (way < 0 ? arg.low : arg.high)[along] == OPEN_SIDE;
        bool slips = (way < 0 ? arg.slip_low : arg.slip_high)[along] != 0.0;
        return Beside(open || slips || along == axis ? own : 2.0 * wall(along, way)[axis] - own, next, false);
    }
    float value = velocity(axis, next);
    if (along != axis && is_solid(word_at(next)) && is_solid(word_at(next - unit(axis)))) {
        return Beside(2.0 * value - own, next, false);
    }
    return Beside(value, next, true);
}
