// Copies one attribute of a particle by units of its memory: UNIT_BYTES and the pointers `Unit` come from the
// kernel that includes this.

// Units of a value, and entries of an array; each entry is stored for all particles before the next one.
layout(constant_id = 0) const uint UNITS = 1u;
layout(constant_id = 1) const uint ENTRIES = 1u;

// The index of entry `k` of a particle.
uint64_t place_of(uint64_t field, uint k, uint i) {
    return field + uint64_t(UNIT_BYTES * UNITS) * (uint64_t(k) * sg_particles_n0 + i);
}

// The particle that moves to index `j`, according to the order if there is one.
uint source_of(uint j) {
#ifdef order_length
    return order(j);
#else
    return j;
#endif
}

// The invocations of a workgroup take the units of its particles in turn, so that neighbours access neighbouring memory.
void move_units(uint j) {
    uint local = gl_LocalInvocationID.x, first = stage_linear() - local;
    uint here = min(gl_WorkGroupSize.x, particles_held_count - first);
    for (uint k = 0u; k < ENTRIES; k++) {
        for (uint n = local; n < here * UNITS; n += here) {
            uint particle = sg_particles_held_at(first + n / UNITS), offset = UNIT_BYTES * (n % UNITS);
            uint64_t from = place_of(uint64_t(sg_p_from), k, source_of(particle)), to = place_of(uint64_t(sg_q_to), k, particle);
            Unit(to + offset).v = Unit(from + offset).v;
        }
    }
}
