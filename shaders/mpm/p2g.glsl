#include "lib/bspline.glsl"
#include "lib/fixed_point.glsl"

#pragma arguments units quanta limit
#pragma argument uint units
#pragma constant CHUNK chunk
#pragma workgroup 32

// Particle to grid (Jiang et al. 2015, "The affine particle-in-cell method", equation 8): a particle of mass m, velocity v
// and affine matrix Q gives a node at distance d (m) with weight w
//     w m (v + Q d)
// in fixed point (lib/fixed_point.glsl). The order does not affect results, because sums are of integers. counters(0)
// counts invocations that met a contribution faster than arg.limit. A kernel gives the function `spread(particle)`, which
// returns Q and is called once for each particle, included before.
//
// A workgroup processes CHUNK particles, in three teams of nine invocations. A team processes its particles one by one; an
// invocation has three nodes in x, and its own residue class modulo 3 in y and z, so the 27 nodes of a particle are
// those of a team. Sums of nodes stay in registers until the particles leave the nodes. If particles are sorted by cell,
// this is rare.
layout(constant_id = 0) const uint CHUNK = 128u;

const uint TEAMS = 3u, TEAM = 9u;
// Particles of a team in shared memory.
const uint BATCH = 10u;

// The data of a particle for its team.
struct Carrier {
    vec4 offset;    // from its lowest node, in cells; fourth: units of mass for the middle node, and FAST
    vec4 velocity;  // at its lowest node, in quanta per unit of mass; in the fourth components coordinates of that node
    vec4 q_x;       // columns of Q: change of that velocity from node to node
    vec4 q_y;
    vec4 q_z;
};
shared Carrier carriers[TEAMS * BATCH];

// A node may receive a velocity beyond arg.limit.
const uint FAST = 0x80000000u;

// The mass of a node, in units, if `row` is the product of two of its weights and the units of the particle.
int mass_of(float weight, float row) {
    return int(fma(weight, row, 0.5));
}

Carrier carrier_of(uint particle) {
    Spline s = spline_at(nodes_coordinates(matter_position(particle)));
    int rest = int(arg.units);
    for (int k = 0; k < 9; k++) {
        float row = s.weight[k % 3].y * s.weight[k / 3].z * float(arg.units);
        rest -= mass_of(s.weight[0].x, row) + mass_of(s.weight[2].x, row) + (k == 4 ? 0 : mass_of(s.weight[1].x, row));
    }
    vec3 velocity = matter_velocity(particle);
    mat3 q = spread(particle) * nodes_dx;
    // Nodes are up to 1.5 cells away along each axis. NaN does not count as slow.
    vec3 fastest = abs(velocity) + 1.5 * (abs(q[0]) + abs(q[1]) + abs(q[2]));
    uint fast = all(lessThan(fastest, vec3(0.999 * arg.limit))) ? 0u : FAST;
    velocity = arg.quanta * (velocity - q * s.offset);
    q *= arg.quanta;
    vec3 base = intBitsToFloat(s.base);
    return Carrier(vec4(s.offset, uintBitsToFloat(uint(rest) | fast)), vec4(velocity, base.x), vec4(q[0], base.y),
                   vec4(q[1], base.z), vec4(q[2], 0.0));
}

// The nodes of an invocation, and their sums.
ivec2 residue;  // of y and z modulo 3
ivec3 at;       // the lowest of the three in x
ivec4 sum0, sum1, sum2;
// The weight of lib/bspline.glsl in y and z: steep d^2 + rise with d = side offset + shift. Products by these numbers are
// exact, so the bits are those of the library.
vec2 n, side, shift, steep, rise;

void give(ivec3 node, ivec4 sum) {
    if (sum.x != 0) {
        add_nodes_mass(node, uint(sum.x));
        add_nodes_px(node, sum.y);
        add_nodes_py(node, sum.z);
        add_nodes_pz(node, sum.w);
    }
}

// Gives the sums of nodes that are not among those of a particle whose lowest node is `base`.
void follow(ivec3 base) {
    ivec2 from = (residue - base.yz % 3 + 3) % 3, row = base.yz + from;
    int step = row == at.yz && abs(base.x - at.x) < 3 ? base.x - at.x : 3;
    for (; step > 0; step--) {
        give(at, sum0);
        sum0 = sum1;
        sum1 = sum2;
        sum2 = ivec4(0);
        at.x++;
    }
    for (; step < 0; step++) {
        give(at + ivec3(2, 0, 0), sum2);
        sum2 = sum1;
        sum1 = sum0;
        sum0 = ivec4(0);
        at.x--;
    }
    at = ivec3(base.x, row);
    n = vec2(from);
    bvec2 low = equal(from, ivec2(0)), middle = equal(from, ivec2(1));
    side = mix(vec2(1.0), vec2(-1.0), low);
    shift = mix(mix(vec2(-0.5), vec2(-1.0), middle), vec2(1.5), low);
    steep = mix(vec2(0.5), vec2(-1.0), middle);
    rise = mix(vec2(0.0), vec2(0.75), middle);
}

// The share of a node in a particle: mass in x, momentum in yzw.
ivec4 share_of(int mass, vec3 velocity) {
    return ivec4(mass, fixed_round(float(mass) * velocity));
}

void stage(uvec3 group, uint local) {
    uint first = CHUNK * group.x, end = min(first + CHUNK, matter_count);
    if (first >= end) {
        return;
    }
    uint part = (end - first + TEAMS - 1u) / TEAMS;
    uint loads = first + local / BATCH * part, loaded = min(loads + part, end);
    loads += local % BATCH;
    uint team = local / TEAM, own = first + team * part;
    uint count = team < TEAMS && own < end ? min(part, end - own) : 0u;
    residue = ivec2(local % 3u, local / 3u % 3u);
    at = ivec3(-9);
    sum0 = sum1 = sum2 = ivec4(0);
    ivec3 base = ivec3(-9);
    float limit = arg.limit * arg.quanta;
    bool clamped = false;
    for (uint done = 0u; done < part; done += BATCH) {
        barrier();
        if (local < TEAMS * BATCH && loads + done < loaded) {
            carriers[local] = carrier_of(loads + done);
        }
        barrier();
        uint here = min(BATCH, count - min(done, count));
        for (uint i = 0u; i < here; i++) {
            Carrier c = carriers[team * BATCH + i];
            ivec3 lowest = floatBitsToInt(vec3(c.velocity.w, c.q_x.w, c.q_y.w));
            if (lowest != base) {
                base = lowest;
                follow(base);
            }
            vec2 d = fma(side, c.offset.yz, shift), weight = fma(steep, d * d, rise);
            float row = weight.x * weight.y * float(arg.units);
            float left = 1.5 - c.offset.x, middle = c.offset.x - 1.0, right = c.offset.x - 0.5;
            uint word = floatBitsToUint(c.offset.w);
            ivec3 mass = ivec3(mass_of(0.5 * left * left, row), mass_of(0.75 - middle * middle, row),
                               mass_of(0.5 * right * right, row));
            mass.y = n == vec2(1.0) ? int(word & ~FAST) : mass.y;
            vec3 v0 = fma(c.q_y.xyz, vec3(n.x), fma(c.q_z.xyz, vec3(n.y), c.velocity.xyz));
            vec3 v1 = v0 + c.q_x.xyz, v2 = v1 + c.q_x.xyz;
            if ((word & FAST) != 0u) {
                clamped = clamped || mass.x != 0 && fixed_clamps(v0, limit) || mass.y != 0 && fixed_clamps(v1, limit) ||
                          mass.z != 0 && fixed_clamps(v2, limit);
                v0 = clamp(v0, -vec3(limit), vec3(limit));
                v1 = clamp(v1, -vec3(limit), vec3(limit));
                v2 = clamp(v2, -vec3(limit), vec3(limit));
            }
            sum0 += share_of(mass.x, v0);
            sum1 += share_of(mass.y, v1);
            sum2 += share_of(mass.z, v2);
        }
    }
    follow(ivec3(-99));
    if (clamped) {
        add_counters(0u, 1u);
    }
}
