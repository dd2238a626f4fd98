// Heights of faces above a rough surface. The stage reads grid.faces, ground.elevation and ground.snow. Faces at or below the
// surface carry no wind (drift/hold.comp).
#include "flow/open.glsl"
#include "drift/ground.glsl"
#include "drift/constants.glsl"

#pragma reach ground_elevation 1
#pragma reach ground_snow 1

// True if a face is closed.
bool is_closed(ivec3 face, int axis) {
    return part_of(word_at(face), 2 * axis) == 0u;
}

// The height of the surface below a face across an axis, m.
float below(ivec3 face, int axis) {
    return axis == 2 ? height(face.xy) : 0.5 * (height(face.xy) + height(face.xy - unit(axis).xy));
}

// The height of a face across an axis above the surface, m.
float above_surface(ivec3 face, int axis) {
    float level = grid_origin.z + (float(face.z) + (axis == 2 ? 0.0 : 0.5)) * grid_dx;
    return level - below(face, axis);
}
