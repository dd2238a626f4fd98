// (1 - flip) of the velocity at the particle, plus flip of the particle's own velocity with the change of the step (Zhu & Bridson
// 2005, "Animating sand as a fluid", section 4.1).
vec3 taken(uint i, vec3 place) {
    vec3 now = flow_at(place);
    return mix(now, matter_velocity(i) + (now - before_at(place)), arg.flip);
}
