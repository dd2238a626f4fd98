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

void move_units(uint j) {
    uint i = source_of(j);
    for (uint k = 0u; k < ENTRIES; k++) {
        uint64_t from = place_of(uint64_t(sg_p_from), k, i), to = place_of(uint64_t(sg_q_to), k, j);
        for (uint unit = 0u; unit < UNITS; unit++) {
            Unit(to + UNIT_BYTES * unit).v = Unit(from + UNIT_BYTES * unit).v;
        }
    }
}
