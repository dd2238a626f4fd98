#version 460
#include "stage.glsl"

#pragma reads ground.height
#pragma writes ground.friction ground.shelter
#pragma arguments level_friction separation
#pragma argument vec2 level_friction
#pragma reach ground_height anywhere

// Height at a place in vertices, which has a whole coordinate along one axis; the ground is periodic.
float height_at(vec2 place) {
    ivec2 low = ivec2(floor(place)), high = ivec2(ceil(place));
    float part = max(place.x - float(low.x), place.y - float(low.y));
    low = ((low % ground_vertices) + ground_vertices) % ground_vertices;
    high = ((high % ground_vertices) + ground_vertices) % ground_vertices;
    return mix(ground_height(low), ground_height(high), part);
}

// The lower side of the flow, which falls no steeper than arg.angle in the lee of a crest: below it the flow is separated (Kroy,
// Sauermann & Herrmann 2002, Physical Review E 66, 031305, with a plane in place of their cubic curve). As a complex number for the
// transform, m; and its height above the surface.
void stage(ivec2 vertex) {
    vec2 step = -arg.level_friction / ground_spacing;
    step /= max(abs(step.x), abs(step.y));
    float fall = tan(radians(arg.angle)) * length(step * ground_spacing);
    float own = ground_height(vertex), side = own;
    for (int n = 1; n <= int(arg.reach); n++) {
        side = max(side, height_at(vec2(vertex) + float(n) * step) - float(n) * fall);
    }
    set_ground_friction(vertex, vec2(side, 0.0));
    set_ground_shelter(vertex, side - own);
}
