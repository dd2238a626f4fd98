// Sums over particles in integers, whose bits do not depend on the order.
//
// Mass is counted in units; a particle has `units` of them. 26 of its 27 nodes receive round(weight * units), and the
// middle one, whose weight is at least 1/8, receives the rest: the sum over nodes is exactly the sum over particles. A
// share of 0 is no contribution, so no node has momentum without mass.
//
// Momentum is counted in quanta: `quanta` of them are one unit of mass at 1 m/s. A share of m units that moves at v adds
// round(m * v * quanta): all nodes together are within half a quantum for each share.
//
// Overflow: components of v are clamped to +-limit, so a node with m units has at most m * limit * quanta quanta
// (and half a quantum for each share, by rounding); it is whole while that is below 2^31. Mass wraps
// only beyond 2^32 / units particles in one node. The caller counts the hits of fixed_clamps and fixed_overflows.
// CPU twin: tests/reference/fixed_point.rs.

// To the nearest, halves to even.
ivec3 fixed_round(vec3 v) {
    return ivec3(roundEven(v));
}

// The share of a particle of `units` units in the mass of a node.
uint fixed_mass(float weight, uint units) {
    return uint(weight * float(units) + 0.5);
}

// Momentum of a mass at a velocity in m/s, in quanta.
ivec3 fixed_momentum(uint mass, vec3 velocity, float quanta) {
    return fixed_round(float(mass) * quanta * velocity);
}

// True if a component of a velocity is beyond +-limit, m/s.
bool fixed_clamps(vec3 velocity, float limit) {
    return !all(lessThanEqual(abs(velocity), vec3(limit)));
}

// True if the momentum of a node of this mass may have overflowed.
bool fixed_overflows(uint mass, float limit, float quanta) {
    return float(mass) * limit * quanta > 2.0e9;
}

// Velocity of a node, m/s; at rest without mass.
vec3 fixed_velocity(ivec3 momentum, uint mass, float quanta) {
    return mass == 0u ? vec3(0.0) : vec3(momentum) / (float(mass) * quanta);
}
