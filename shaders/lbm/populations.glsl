// The populations of the fluid, `f`, in one copy: Esoteric Pull (Lehmann 2022, "Esoteric Pull and Esoteric Push: Two simple
// in-place streaming schemes for the lattice Boltzmann method on GPUs", Computation 10(6):92).
//
// For a pair of opposite velocities i and i + 1, a cell reads and writes two entries: one of its own and one of the
// next cell along i. The entries alternate between even and odd steps, which moves the populations:
//
//     even steps: i + 1 of this cell and i of the next one; odd steps: i of this cell and i + 1 of the next one
//
// A population is stored as f_i - w_i (Skordos 1993, "Initial and boundary conditions for the lattice Boltzmann method"),
// times SCALE: values round 0 lose few bits, also in halves.
#ifndef LBM_POPULATIONS
#define LBM_POPULATIONS
#include "lbm/lattices.glsl"
#include "lbm/cells.glsl"

#pragma constant SCALE scale

layout(constant_id = 10) const float SCALE = 1.0;

#define EACH_PAIR(DO) PAIRS_OF(grid_f_entries)(DO)
const int POPULATIONS = int(grid_f_entries);
const float REST = REST_OF(grid_f_entries);

// A population, in stages that read `f`.
#define f_at(CELL, K) (grid_f(AT(CELL), K) * (1.0 / SCALE))

// The velocity that a wall or a boundary has, in cells a step, in stages that read `u`.
#define held_velocity(CELL) (arg.pace * vector_in_space(grid_u(AT(CELL))))

#endif
