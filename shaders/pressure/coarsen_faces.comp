#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/plain.glsl"

#pragma reads fine.faces fine.plain
#pragma writes grid.faces grid.plain

// True if `at`, beyond the last cells along some axes, is air beyond an open side.
bool is_beyond_open_side(ivec3 at, ivec3 size) {
    uint word = fine_faces(in_lattice(min(at, size - 1), fine_cells));
    for (int axis = 0; axis < 3; axis++) {
        bool is_beyond = at[axis] >= size[axis] && size[axis] > 1;
        if (is_beyond && arg.high[axis] == OPEN_SIDE && part_of(word, 2 * axis + 1) != 0u) {
            return true;
        }
    }
    return false;
}

// The faces of a coarser level (`grid`). A cell that holds any air is air, else one that holds any fluid is fluid (McAdams,
// Sifakis & Teran 2010, "A parallel multigrid Poisson solver for fluids simulation on large grids", section 3.3). The
// coefficient of a face is the mean over the finer faces in it, so thin walls and narrow gaps keep their share; nearer air does
// not count. Air beyond an open side stays as far from the border as it is from the finest level. If the finer cells are odd in
// number, half of the last cell is beyond the border, so that cell is air.
STAGE_IN_SPACE {
    ivec3 size = space_size(fine_cells), last = space_size(grid_cells) - 1;
    ivec3 halves = ivec3(greaterThan(size, ivec3(1))) + 1;
    bool fluid = false, air = false, plain = true;
    uint open_side = 0u;
    float sums[6] = float[6](0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (int child = 0; child < 8; child++) {
        ivec3 way = ivec3(child & 1, child >> 1 & 1, child >> 2);
        ivec3 at = 2 * cell + way;
        plain = plain && all(lessThan(at, size));
        if (any(greaterThanEqual(at, size))) {
            air = air || is_beyond_open_side(at, size);
        } else {
            uint word = fine_faces(in_lattice(at, fine_cells));
#if HAS_fine_plain
            plain = plain && (fine_plain(in_lattice(at, fine_cells)) & PLAIN_BUT_ENDS) != 0u;
#else
            plain = plain && word == PLAIN_WORD && is_inside(at, size);
#endif
            fluid = fluid || is_fluid(word);
            air = air || is_air(word);
            open_side |= word & AT_OPEN_SIDE;
            for (int face = 0; face < 6; face++) {
                int axis = face / 2;
                // The outer faces of the eight cells, and those of the last cell if it has no neighbour.
                bool outer = way[axis] == (face & 1) || size[axis] == 1 || (face & 1) == 1 && at[axis] == size[axis] - 1;
                float open = part(part_of(word, face));
                sums[face] += outer ? (word & AT_OPEN_SIDE) != 0u ? open : min(open, 1.0) : 0.0;
            }
        }
    }
#if HAS_grid_plain
    set_grid_plain(AT(cell), plain ? PLAIN_CHILDREN : 0u);
#endif
    uint word = air ? 0u : fluid ? FLUID : 0u;
    for (int face = 0; face < 6; face++) {
        int axis = face / 2;
        float open = sums[face] / float(halves[(axis + 1) % 3] * halves[(axis + 2) % 3]);
        bool at_side = periodic_axes()[axis] == 0 && cell[axis] == ((face & 1) == 0 ? 0 : last[axis]);
        // A part of a whole face at an open side of the level before, as much in this one.
        word |= bits_of(at_side ? min(open * arg.open_ratio, 2.0) : min(open, 1.0)) << 5 * face;
    }
    set_grid_faces(AT(cell), word | open_side);
}
