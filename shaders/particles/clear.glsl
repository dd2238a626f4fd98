// Gives an attribute of a new particle its background, by units of its memory: UNIT_BYTES and the pointers `Unit` come from the
// kernel that includes this.

// Units of a value, and entries of an array; each entry is stored for all particles before the next one.
layout(constant_id = 0) const uint UNITS = 1u;
layout(constant_id = 1) const uint ENTRIES = 1u;

// A component of arg.background has at most two words; a shorter one is repeated.
void clear_units(uint i) {
    for (uint k = 0u; k < ENTRIES; k++) {
        uint64_t at = uint64_t(sg_q_to) + uint64_t(UNIT_BYTES * UNITS) * (uint64_t(k) * sg_particles_n0 + i);
        for (uint n = 0u; n < UNITS; n++) {
            Unit(at + UNIT_BYTES * n).v = UNIT(arg.background[n & 1u]);
        }
    }
}
