// Neighbours of a particle, from the lists of the cells around it. Sides of cells are at least the support of the kernel, 2 h.
// The walls of the tank are mirrors: a cell beyond one holds the images of the particles inside, whose velocity across
// the wall is reversed, so that the flow slips along walls and does not cross them. A particle meets its own images too.
//
// The kernel is the C2 function of Wendland 1995 in space, W = 21 / (16 pi h^3) (1 - q/2)^4 (2 q + 1), q = r / h <= 2.
#include "flip/cells.glsl"

#pragma reads matter.position grid.first grid.end
#pragma neighbours 1
#pragma reach matter_position anywhere
#pragma reach grid_first 1
#pragma reach grid_end 1
#pragma arguments smoothing

struct Pair {
    uint other;
    vec3 place;     // m, of the neighbour itself
    vec3 away;      // m, from the neighbour or its image
    float r2;       // m^2
    vec3 image;     // +1 or -1 along each axis: factors of the velocity of the neighbour
    float slope;    // the gradient of the kernel is -slope * away, 1/m^5
};

// The kernel that includes this file defines it.
void meet(Pair pair);

// -W'(r) / r, 1/m^5.
float kernel_slope(float r) {
    float rest = 1.0 - 0.5 * r / arg.smoothing, h2 = arg.smoothing * arg.smoothing;
    return 2.0889081 * rest * rest * rest / (h2 * h2 * arg.smoothing);
}

// Calls `meet` for each neighbour of particle i.
void meet_neighbours(uint i) {
    vec3 here = matter_position(i), low = grid_origin, high = grid_origin + vec3(grid_cells) * grid_spacing;
    ivec3 own = clamp(ivec3(floor(grid_coordinates(here))), ivec3(0), grid_cells - 1);
    float support = 2.0 * arg.smoothing;
    for (int k = 0; k < 27; k++) {
        ivec3 at = own + ivec3(k % 3, k / 3 % 3, k / 9) - 1, cell = clamp(at, ivec3(0), grid_cells - 1);
        vec3 below = vec3(lessThan(at, cell)), above = vec3(greaterThan(at, cell));
        vec3 image = 1.0 - 2.0 * (below + above), shift = 2.0 * (below * low + above * high);
        uint end = grid_end(cell);
        for (uint other = grid_first(cell); other < end; other++) {
            vec3 place = matter_position(other), away = here - (image * place + shift);
            float r2 = dot(away, away);
            if (r2 < support * support && r2 > 0.0) {
                meet(Pair(other, place, away, r2, image, kernel_slope(sqrt(r2))));
            }
        }
    }
}
