#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

#pragma reads value grid.faces
#pragma writes value
#pragma reach value 1
#pragma reach grid_faces 2

// Faces across axis AXIS without fluid take the mean velocity of neighbouring faces with fluid: particles near the surface
// read them, and inside solids they let the fluid slip along. Faces at the surface of a solid keep the solid's velocity.
// A sparse grid does not store the faces beyond the last cells, which are walls at rest.
layout(constant_id = 0) const int SPARSE = 0;
layout(constant_id = 2) const int AXIS = 0;

bool touches(ivec3 face, bool any_fluid) {
    ivec3 low = face, last = grid_cells - 1;
    low[AXIS]--;
    uint a = grid_faces(clamp(low, ivec3(0), last)), b = grid_faces(clamp(face, ivec3(0), last));
    return any_fluid ? is_fluid(a) || is_fluid(b) : is_fluid(a) || is_fluid(b) || is_air(a) != is_air(b);
}

// True if a cell beside the face or beside one of its neighbours is fluid.
bool near_fluid(ivec3 face) {
    ivec3 last = grid_cells - 1, size = ivec3(3);
    size[AXIS]++;
    ivec3 first = face - 1;
    first[AXIS]--;
    uint words = 0u;
    for (int z = 0; z < size.z; z++) {
        for (int y = 0; y < size.y; y++) {
            for (int x = 0; x < size.x; x++) {
                words |= grid_faces(clamp(first + ivec3(x, y, z), ivec3(0), last));
            }
        }
    }
    return is_fluid(words);
}

void stage(ivec3 face) {
    if (!near_fluid(face) || touches(face, false) || face[AXIS] == 0 || face[AXIS] == grid_cells[AXIS]) {
        return;
    }
    ivec3 last = grid_cells - 1;
    last[AXIS]++;
    float sum = 0.0, count = 0.0;
    for (int k = 0; k < 27; k++) {
        ivec3 near = face + ivec3(k % 3, k / 3 % 3, k / 9) - 1;
        if (all(greaterThanEqual(near, ivec3(0))) && all(lessThanEqual(near, last)) && touches(near, true)) {
            bool kept = SPARSE == 0 || near[AXIS] < last[AXIS];
            float found = value(kept ? near : face);
            sum += kept ? found : 0.0;
            count += 1.0;
        }
    }
    if (count > 0.0) {
        set_value(face, sum / count);
    }
}
