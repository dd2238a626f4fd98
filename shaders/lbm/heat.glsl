// The populations of heat, `g`, stored like those of the fluid (populations.glsl), minus w_i arg.neutral. Their equilibrium
// is w_i T (1 + c.u / s), where s is the square of the speed of sound of the lattice.
#include "lbm/lattices.glsl"
#include "lbm/cells.glsl"

#define EACH_PAIR(DO) PAIRS_OF(grid_g_entries)(DO)
const int POPULATIONS = int(grid_g_entries);
const float REST = REST_OF(grid_g_entries);
// 1 / s: 3 in a plane, 4 in space.
const float STIFFNESS = POPULATIONS == 5 ? 3.0 : 4.0;

// The velocity of the fluid in cells a step, in stages that read `u`.
#define velocity(CELL) (arg.pace * vector_in_space(grid_u(AT(CELL))))
