#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

// Adds the correction of a coarser level, `coarse.s`, to z of the finer one (`grid`). It is linear between the centres of
// coarser cells where the face between them is open, and constant across a closed one.

DEFINE_PARTS(coarse_parts, coarse_faces, coarse_cells, arg.coarse_open)

float s_at(ivec3 cell) {
    return coarse_s(in_lattice(cell, coarse_cells));
}

STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells), coarse_size = space_size(coarse_cells);
    uint word = coarse_faces(in_lattice(cell, coarse_cells));
    Around at = around(cell, coarse_size);
    Parts c = coarse_parts(cell, at, word);
    float own = s_at(cell);
    // Beyond an open side the value is 0.
    vec3 low_open = arg.coarse_open * vec3(word >> 26 & 1u, word >> 28 & 1u, word >> 30 & 1u);
    vec3 high_open = arg.coarse_open * vec3(word >> 27 & 1u, word >> 29 & 1u, word >> 31 & 1u);
    vec3 low = 0.25 * (vec3(c.west * (s_at(at.west) - own), c.south * (s_at(at.south) - own), c.below * (s_at(at.below) - own))
                       - low_open * own);
    vec3 high = 0.25 * (vec3(c.east * (s_at(at.east) - own), c.north * (s_at(at.north) - own), c.above * (s_at(at.above) - own))
                        - high_open * own);
    // An axis of one cell is not halved.
    vec3 halved = vec3(greaterThan(size, ivec3(1)));
    low *= halved;
    high *= halved;
    for (int child = 0; child < 8; child++) {
        ivec3 way = ivec3(child & 1, child >> 1 & 1, child >> 2);
        ivec3 fine = 2 * cell + way;
        if (all(lessThan(fine, size)) && is_fluid(grid_faces(AT(fine)))) {
            vec3 part = mix(low, high, vec3(way));
            set_grid_z(AT(fine), grid_z(AT(fine)) + (own + part.x + part.y + part.z));
        }
    }
}
