// A free surface by the volume of fluid (Koerner et al. 2005, "Lattice Boltzmann model for free surface flow for modeling foaming").
// A closed layer of interface cells separates the fluid from the gas; each has a mass, and `fill` is mass over density. The gas
// has one pressure and no flow.
//
// A step has four passes. They read only such marks of neighbours as the pass does not change, so the order of the cells
// has no influence:
//
//     surface_exchange   reads types and INTERFACE, changes no mark
//     stream_collide     reads types and INTERFACE; interface cells set their FILLS and EMPTIES
//     surface_open       reads types, INTERFACE and the FILLS of interface cells; interface cells drop EMPTIES, gas cells set
//                        FILLS, and gas and fluid drop the marks of the last step
//     surface_convert    reads EMPTIES; types and INTERFACE change
//
// A fluid cell with FILLS, or a gas cell with EMPTIES, was an interface cell: its `mass` is still to be distributed to the
// neighbouring interface cells, in equal parts in the next step. Without such neighbours it waits.
#include "lbm/populations.glsl"

// Hysteresis: a mass must be beyond empty or full by this part of the density before a cell changes, so that a cell that
// has just changed does not change back at once.
const float SLACK = 1e-3;

// All neighbours: DO(cell) for each.
#define EACH_NEIGHBOUR_OF_PAIR(I, X, Y, Z, W) VISIT(beside(at, X, Y, Z)) VISIT(beside(at, -(X), -(Y), -(Z)))
#define EACH_NEIGHBOUR EACH_PAIR(EACH_NEIGHBOUR_OF_PAIR)

// Number of neighbours that are interface cells.
uint takers(Around at) {
    uint count = 0u;
#define VISIT(CELL) count += is_interface(grid_cell_type(AT(CELL))) ? 1u : 0u;
    EACH_NEIGHBOUR
#undef VISIT
    return count;
}
