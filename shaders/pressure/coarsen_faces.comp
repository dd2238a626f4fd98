#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

// The faces of a coarser level. A cell that holds any air is air, else one that holds any fluid is fluid (McAdams,
// Sifakis & Teran 2010, "A parallel multigrid Poisson solver for fluids simulation on large grids", section 3.3). The
// open part of a face is the mean over the finer faces in it, so thin walls and narrow gaps keep their share.
STAGE_IN_SPACE {
    ivec3 size = space_size(fine_cells);
    ivec3 halves = ivec3(greaterThan(size, ivec3(1))) + 1;
    uint found = 0u;
    uvec3 open = uvec3(0u);
    for (int child = 0; child < 8; child++) {
        ivec3 way = ivec3(child & 1, child >> 1 & 1, child >> 2);
        ivec3 at = 2 * cell + way;
        if (all(lessThan(at, size))) {
            uint word = fine_faces(in_lattice(at, fine_cells));
            found |= word & (FLUID | AIR | OPEN_SIDES);
            open += uvec3(equal(way, ivec3(0))) * uvec3(word & 255u, word >> 8 & 255u, word >> 16 & 255u);
        }
    }
    uvec3 faces = uvec3(halves.y * halves.z, halves.z * halves.x, halves.x * halves.y);
    open = (open + faces / 2u) / faces;
    uint types = (found & AIR) != 0u ? AIR : found & FLUID;
    set_grid_faces(AT(cell), types | found & OPEN_SIDES | open.z << 16 | open.y << 8 | open.x);
}
