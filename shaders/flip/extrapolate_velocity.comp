#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

#pragma reads value grid.faces
#pragma writes value
#pragma argument int axis
#pragma reach value 1
#pragma reach grid_faces 2

// Faces across arg.axis without fluid take the mean velocity of neighbouring faces with fluid: particles near the surface
// read them, and inside solids they let the fluid slip along. Faces at the surface of a solid keep the solid's velocity.
// A sparse grid does not store the faces beyond the last cells, which are walls at rest.
layout(constant_id = 0) const int SPARSE = 0;

bool touches(ivec3 face, bool any_fluid) {
    ivec3 low = face, last = grid_cells - 1;
    low[arg.axis]--;
    uint a = grid_faces(clamp(low, ivec3(0), last)), b = grid_faces(clamp(face, ivec3(0), last));
    return any_fluid ? is_fluid(a) || is_fluid(b) : is_fluid(a) || is_fluid(b) || is_air(a) != is_air(b);
}

void stage(ivec3 face) {
    if (touches(face, false) || face[arg.axis] == 0 || face[arg.axis] == grid_cells[arg.axis]) {
        return;
    }
    ivec3 last = grid_cells - 1;
    last[arg.axis]++;
    float sum = 0.0, count = 0.0;
    for (int k = 0; k < 27; k++) {
        ivec3 near = face + ivec3(k % 3, k / 3 % 3, k / 9) - 1;
        if (all(greaterThanEqual(near, ivec3(0))) && all(lessThanEqual(near, last)) && touches(near, true)) {
            bool kept = SPARSE == 0 || near[arg.axis] < last[arg.axis];
            float found = value(kept ? near : face);
            sum += kept ? found : 0.0;
            count += 1.0;
        }
    }
    if (count > 0.0) {
        set_value(face, sum / count);
    }
}
