// The lattices D2Q9, D3Q19 and D3Q27 (Qian, d'Humieres & Lallemand 1992, "Lattice BGK models for Navier-Stokes equation"; He &
// Luo 1997 for 27), and D2Q5 and D3Q7 for heat, as lists of pairs of opposite velocities: DO(i, x, y, z, weight) is velocity i,
// (x, y, z) cells a step, and i + 1, its opposite. Velocity 0 is rest. A list is chosen by the number of populations, which
// the generated interface states as 9u, 19u ... The first coordinate of a velocity that is not 0 is 1.
#ifndef LBM_LATTICES
#define LBM_LATTICES

#define AXES_IN_PLANE(DO, W) DO(1, 1, 0, 0, W) DO(3, 0, 1, 0, W)
#define AXES_IN_SPACE(DO, W) AXES_IN_PLANE(DO, W) DO(5, 0, 0, 1, W)
#define EDGES(DO, W) DO(7, 1, 1, 0, W) DO(9, 1, -1, 0, W) DO(11, 1, 0, 1, W) DO(13, 1, 0, -1, W) \
    DO(15, 0, 1, 1, W) DO(17, 0, 1, -1, W)

// The velocities of the pairs, as offsets of entries that alternate (docs/modules.md).
#pragma offsets 5 1,0 0,1
#pragma offsets 7 1,0,0 0,1,0 0,0,1
#pragma offsets 9 1,0 0,1 1,1 1,-1
#pragma offsets 19 1,0,0 0,1,0 0,0,1 1,1,0 1,-1,0 1,0,1 1,0,-1 0,1,1 0,1,-1
#pragma offsets 27 1,0,0 0,1,0 0,0,1 1,1,0 1,-1,0 1,0,1 1,0,-1 0,1,1 0,1,-1 1,1,1 1,1,-1 1,-1,1 1,-1,-1

#define PAIRS_5u(DO) AXES_IN_PLANE(DO, 1.0 / 6.0)
#define PAIRS_7u(DO) AXES_IN_SPACE(DO, 1.0 / 8.0)
#define PAIRS_9u(DO) AXES_IN_PLANE(DO, 1.0 / 9.0) DO(5, 1, 1, 0, 1.0 / 36.0) DO(7, 1, -1, 0, 1.0 / 36.0)
#define PAIRS_19u(DO) AXES_IN_SPACE(DO, 1.0 / 18.0) EDGES(DO, 1.0 / 36.0)
#define PAIRS_27u(DO) AXES_IN_SPACE(DO, 2.0 / 27.0) EDGES(DO, 1.0 / 54.0) DO(19, 1, 1, 1, 1.0 / 216.0) \
    DO(21, 1, 1, -1, 1.0 / 216.0) DO(23, 1, -1, 1, 1.0 / 216.0) DO(25, 1, -1, -1, 1.0 / 216.0)

// Weight of rest.
#define REST_5u (1.0 / 3.0)
#define REST_7u (1.0 / 4.0)
#define REST_9u (4.0 / 9.0)
#define REST_19u (1.0 / 3.0)
#define REST_27u (8.0 / 27.0)

#define PASTE(A, B) A ## B
#define PASTE_EXPANDED(A, B) PASTE(A, B)
#define PAIRS_OF(ENTRIES) PASTE_EXPANDED(PAIRS_, ENTRIES)
#define REST_OF(ENTRIES) PASTE_EXPANDED(REST_, ENTRIES)

// The product of a velocity of the lists with a vector. Its coordinates are constants, so that only sums remain.
float along(int x, int y, int z, vec3 v) {
    float sum = x != 0 ? v.x : y != 0 ? v.y : v.z;
    if (x != 0 && y > 0) sum += v.y;
    if (x != 0 && y < 0) sum -= v.y;
    if ((x != 0 || y != 0) && z > 0) sum += v.z;
    if ((x != 0 || y != 0) && z < 0) sum -= v.z;
    return sum;
}

#endif
