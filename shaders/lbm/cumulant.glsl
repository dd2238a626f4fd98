// The cumulant collision of D3Q27 (Geier, Schoenherr, Pasquali & Krafczyk 2015, "The cumulant lattice Boltzmann equation in three
// dimensions: Theory and validation", Computers & Mathematics with Applications 70): moments are taken about the velocity of the
// fluid, so a uniform flow that carries it changes nothing. Cumulants of the second order without trace relax at the rate of
// the viscosity, all others at rate 1: they become 0, which leaves the moments of a normal distribution. Every
// moment is stored minus the moment of the weights, 1/3 for a pair of one axis, so no digits are lost.
#ifndef LBM_CUMULANT
#define LBM_CUMULANT
#extension GL_EXT_control_flow_attributes : require

// From the moments 0 to 2 about v along an axis, in m[first + stride * order], to the populations that move by -1, 0 and 1. `weight` is
// the sum of the weights of the three.
void to_populations(inout float m[27], int first, int stride, float v, float weight) {
    float m0 = m[first], m1 = m[first + stride], m2 = m[first + 2 * stride];
    float all = m0 + weight, square = fma(v * v, all, fma(2.0 * v, m1, m2)), flow = fma(v, all, m1);
    m[first] = 0.5 * (square - flow);
    m[first + stride] = m0 - square;
    m[first + 2 * stride] = 0.5 * (square + flow);
}

// The populations after the collision. `normal` and `shear` (xy, yz, zx) are the second moments about the mean velocity, minus
// equilibrium. Half of a force acts before the collision, half after: u is the velocity in between, and `after` the velocity at
// the end. A force moves the mean alone and no cumulant above it, so the populations come from the moments about `after`.
void collide(inout float f[POPULATIONS], float excess, vec3 u, vec3 after, vec3 normal, vec3 shear, float rate) {
    float rho = 1.0 + excess, trace = normal.x + normal.y + normal.z;
    // Strain along the axes, from the stress, corrected because the lattice has no third moment along one axis.
    vec3 lacking = u * u * (0.5 * (rate - 1.0) * trace - 1.5 * rate * normal);
    float sum = lacking.x + lacking.y + lacking.z;
    // Deviations of the second moments from rest, for a density of 1.
    vec3 without_trace = (1.0 - rate) * (normal - trace / 3.0) - 3.0 * (1.0 - 0.5 * rate) * (lacking - sum / 3.0);
    vec3 a = (without_trace - 0.5 * sum) / rho, b = (1.0 - rate) / rho * shear;
    vec3 opposite = b.yzx, next = a.yzx;

    // Moments of the orders (x, y, z), at x + 3 y + 9 z.
    float m[27];
    [[unroll]] for (int i = 0; i < 27; i++) m[i] = 0.0;
    m[0] = excess;
    m[4] = rho * b.x, m[12] = rho * b.y, m[10] = rho * b.z;
    m[2] = excess / 3.0 + rho * a.x, m[6] = excess / 3.0 + rho * a.y, m[18] = excess / 3.0 + rho * a.z;
    // 220, 022, 202, then 112, 211, 121, by the theorem of Isserlis 1918.
    vec3 two = excess / 9.0 + rho * ((a + next) / 3.0 + a * next + 2.0 * b * b);
    m[8] = two.x, m[24] = two.y, m[20] = two.z;
    vec3 mixed = rho * (b * (1.0 / 3.0 + a.zxy) + 2.0 * opposite * b.zxy);
    m[22] = mixed.x, m[14] = mixed.y, m[16] = mixed.z;
    m[26] = excess / 27.0 + rho * ((a.x + a.y + a.z) / 9.0 + dot(a, next) / 3.0 + a.x * a.y * a.z
            + 2.0 * dot(1.0 / 3.0 + a, opposite * opposite) + 8.0 * b.x * b.y * b.z);

    const float of_weights[3] = float[](1.0, 0.0, 1.0 / 3.0), weights[3] = float[](1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0);
    [[unroll]] for (int i = 0; i < 3; i++) {
        [[unroll]] for (int k = 0; k < 3; k++) to_populations(m, 3 * i + 9 * k, 1, after.x, of_weights[i] * of_weights[k]);
    }
    [[unroll]] for (int i = 0; i < 3; i++) {
        [[unroll]] for (int k = 0; k < 3; k++) to_populations(m, i + 9 * k, 3, after.y, weights[i] * of_weights[k]);
    }
    [[unroll]] for (int i = 0; i < 3; i++) {
        [[unroll]] for (int k = 0; k < 3; k++) to_populations(m, i + 3 * k, 9, after.z, weights[i] * weights[k]);
    }
    f[0] = m[13];
#define TAKE(I, X, Y, Z, W) f[I] = m[13 + X + 3 * (Y) + 9 * (Z)]; f[I + 1] = m[13 - (X) - 3 * (Y) - 9 * (Z)];
    EACH_PAIR(TAKE)
}

#endif
