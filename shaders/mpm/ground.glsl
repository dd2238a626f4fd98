// The ground, terrain and the snow on it, as a solid; nothing where a stage has none. Include after stage.glsl and
// mpm/colliders.glsl in a stage that reads ground.elevation and ground.snow. arg.contact and arg.friction are as of colliders.
#pragma arguments contact friction

#if HAS_ground_elevation
#include "snow/surface.glsl"

// Out of the ground: from the slope over a vertex' distance to either side, so that it is continuous; at the edge of the
// terrain over the part that is there.
vec3 ground_normal(vec2 world) {
    vec2 low = ground_origin, high = ground_origin + vec2(ground_vertices - 1) * ground_spacing;
    vec2 before = clamp(world - ground_spacing, low, high), after = clamp(world + ground_spacing, low, high);
    vec2 apart = max(after - before, 1e-3 * ground_spacing);
    float rise_east = surface_height(vec2(after.x, world.y)) - surface_height(vec2(before.x, world.y));
    float rise_north = surface_height(vec2(world.x, after.y)) - surface_height(vec2(world.x, before.y));
    vec3 out_of = vec3(-rise_east / apart.x, -rise_north / apart.y, 1.0);
    return out_of / sqrt(dot(out_of, out_of));
}

// The velocity at a point after contact with the ground; unchanged above it.
vec3 beside_ground(vec3 place, vec3 velocity) {
    if (place.z >= surface_height(place.xy)) {
        return velocity;
    }
    return in_contact(velocity, ground_normal(place.xy), arg.contact, arg.friction);
}
#else
vec3 beside_ground(vec3 place, vec3 velocity) {
    return velocity;
}
#endif
