// (1 - flip) of the velocity at the particle, and flip of the particle's own with what the step has changed there (Zhu & Bridson
// 2005, "Animating sand as a fluid", section 4.1).
vec3 taken(uint i, vec3 place) {
    vec3 now = flow_at(place);
    return mix(now, matter_velocity(i) + (now - before_at(place)), arg.flip);
}
