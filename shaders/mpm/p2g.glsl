#include "lib/bspline.glsl"
#include "lib/fixed_point.glsl"
#include "lib/rounding.glsl"

#pragma arguments units quanta limit
#pragma argument uint units
#pragma constant CHUNK chunk
#pragma workgroup 32
#pragma shares matter
#pragma adds counters
#pragma reach nodes_mass 2
#pragma reach nodes_px 2
#pragma reach nodes_py 2
#pragma reach nodes_pz 2

// Particle to grid (Jiang et al. 2015, "The affine particle-in-cell method", equation 8): a particle of mass m, velocity v
// and affine matrix Q gives a node at distance d (m) with weight w
//     w m (v + Q d)
// in fixed point (lib/fixed_point.glsl). The order does not affect results, because sums are of integers. counters(0)
// counts particles with a contribution faster than arg.limit. A kernel gives the function `spread(particle)`, which
// returns Q and is called once for each particle, included before.
//
// A workgroup of 32 processes CHUNK particles. The 27 nodes of a particle are nine rows of three in x, one for each residue
// class of y and z modulo 3. An invocation owns rows, and keeps their sums in registers until the particles leave the
// nodes; if particles are sorted by cell, this is rare. With subgroups of 32 and more, three teams of nine invocations
// with a row each process their own particles, from shared memory, ten at a time in the order of their cells, because
// particles have moved since they were sorted. With smaller ones, the rows of a particle are divided among the
// invocations of a subgroup, which broadcast particles: shared memory is slow on processors.
layout(constant_id = 0) const uint CHUNK = 128u;
// The smallest subgroup of the device. The program sets it.
layout(constant_id = 1001) const uint sg_least_subgroup = 4u;

const uint ROWS = 9u;
const uint TEAMS = 3u;
// Particles of a team in shared memory.
const uint BATCH = 10u;
// Rows of an invocation in a small subgroup, without the last row where it would be the only one of a round.
const uint MOST = (ROWS + sg_least_subgroup - 2u) / sg_least_subgroup;

// The data of a particle for its rows.
struct Carrier {
    vec4 offset;    // from its lowest node, in cells; fourth: units of mass for the middle node, and FAST
    vec4 velocity;  // at its lowest node, in quanta per unit of mass; in the fourth components coordinates of that node
    vec4 q_x;       // columns of Q: change of that velocity from node to node
    vec4 q_y;
    vec4 q_z;
};
shared Carrier carriers[TEAMS * BATCH];
// Their keys: order_of.
shared int orders[TEAMS * BATCH];
// After all keys.
const int LAST = 0x7fffffff;

// A node may receive a velocity beyond arg.limit, or a share of momentum that is not small.
const uint FAST = 0x80000000u;
// The largest weight of a node is 0.75^3 = 0.42.
const float MAX_WEIGHT = 0.43;

// The mass of a node, in units and shifted, if `row` is the product of two of its weights and the units of the particle.
float shifted_mass(float weight, float row) {
    return fma(weight, row, ROUNDING_SHIFT);
}

int mass_of(float weight, float row) {
    return unshifted(shifted_mass(weight, row));
}

// True if a node with a share of the mass would receive a velocity beyond the limit.
bool exceeds(Carrier c, Spline s, float limit) {
    for (int k = 0; k < 27; k++) {
        ivec3 n = ivec3(k % 3, k / 3 % 3, k / 9);
        float row = s.weight[n.y].y * s.weight[n.z].z * float(arg.units);
        bool has_mass = n == ivec3(1) || mass_of(s.weight[n.x].x, row) != 0;
        vec3 velocity = c.velocity.xyz + c.q_x.xyz * float(n.x) + c.q_y.xyz * float(n.y) + c.q_z.xyz * float(n.z);
        if (has_mass && fixed_clamps(velocity, limit)) {
            return true;
        }
    }
    return false;
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
    float slow = min(0.999 * arg.limit, ROUNDING_LIMIT / (MAX_WEIGHT * float(arg.units) * arg.quanta));
    uint fast = all(lessThan(fastest, vec3(slow))) ? 0u : FAST;
    velocity = arg.quanta * (velocity - q * s.offset);
    q *= arg.quanta;
    vec3 base = intBitsToFloat(s.base);
    Carrier c = Carrier(vec4(s.offset, uintBitsToFloat(uint(rest) | fast)), vec4(velocity, base.x), vec4(q[0], base.y),
                        vec4(q[1], base.z), vec4(q[2], 0.0));
    if (fast != 0u && matter_is_own(particle) && exceeds(c, s, arg.limit * arg.quanta)) {
        add_counters(0u, 1u);
    }
    return c;
}

Carrier broadcast(Carrier c, uint i) {
    return Carrier(subgroupBroadcast(c.offset, i), subgroupBroadcast(c.velocity, i), subgroupBroadcast(c.q_x, i),
                   subgroupBroadcast(c.q_y, i), subgroupBroadcast(c.q_z, i));
}

// The coordinates of the lowest node of a particle.
ivec3 lowest(Carrier c) {
    return floatBitsToInt(vec3(c.velocity.w, c.q_x.w, c.q_y.w));
}

// Three nodes in x, and their sums.
struct Row {
    ivec2 residue;  // of y and z modulo 3
    ivec3 at;       // the lowest of the three nodes of the present particle
    ivec3 summed;   // the lowest of the three nodes of these sums
    ivec4 sum0;
    ivec4 sum1;
    ivec4 sum2;
    // The weight of lib/bspline.glsl in y and z: steep d^2 + rise with d = side offset + shift. Products by these numbers
    // are exact, so the bits are those of the library.
    vec2 n;
    vec2 side;
    vec2 shift;
    vec2 steep;
    vec2 rise;
    float units;    // of a particle; 0 if this is not one of the nine
};

// No particle has nodes there.
const ivec3 NOWHERE = ivec3(-9);

Row row_of(uint number) {
    Row row;
    row.residue = ivec2(number % 3u, number / 3u % 3u);
    row.at = NOWHERE;
    row.summed = NOWHERE;
    row.sum0 = row.sum1 = row.sum2 = ivec4(0);
    row.units = number < ROWS ? float(arg.units) : 0.0;
    return row;
}

void give(ivec3 node, ivec4 sum) {
    if (sum.x != 0) {
        add_nodes_mass(node, uint(sum.x));
        add_nodes_px(node, sum.y);
        add_nodes_py(node, sum.z);
        add_nodes_pz(node, sum.w);
    }
}

// Follows the particles from those whose lowest node is `before` to those whose lowest node is `base`. Gives the sums of
// nodes that are not among theirs.
void follow(inout Row row, ivec3 before, ivec3 base) {
    int step = base.x - row.at.x;
    if (base.yz != before.yz) {
        ivec2 from = (row.residue - base.yz % 3 + 3) % 3, along = base.yz + from;
        step = along == row.at.yz ? step : 3;
        row.at.yz = along;
        row.n = vec2(from);
        bvec2 low = equal(from, ivec2(0)), middle = equal(from, ivec2(1));
        row.side = mix(vec2(1.0), vec2(-1.0), low);
        row.shift = mix(mix(vec2(-0.5), vec2(-1.0), middle), vec2(1.5), low);
        row.steep = mix(vec2(0.5), vec2(-1.0), middle);
        row.rise = mix(vec2(0.0), vec2(0.75), middle);
    }
    if (step == 0) {
        return;
    }
    ivec3 at = row.summed;
    if (step == 1) {
        give(at, row.sum0);
        row.sum0 = row.sum1;
        row.sum1 = row.sum2;
        row.sum2 = ivec4(0);
    } else if (step == -1) {
        give(at + ivec3(2, 0, 0), row.sum2);
        row.sum2 = row.sum1;
        row.sum1 = row.sum0;
        row.sum0 = ivec4(0);
    } else {
        give(at, row.sum0);
        give(at + ivec3(1, 0, 0), row.sum1);
        give(at + ivec3(2, 0, 0), row.sum2);
        row.sum0 = row.sum1 = row.sum2 = ivec4(0);
    }
    row.at.x = base.x;
    row.summed = row.at;
}

// Adds the shares of the nodes of a row in a particle. `limit` is arg.limit in quanta per unit of mass.
void add(inout Row row, Carrier c, float limit) {
    vec2 d = fma(row.side, c.offset.yz, row.shift), weight = fma(row.steep, d * d, row.rise);
    float product = weight.x * weight.y * row.units;
    float left = 1.5 - c.offset.x, middle = c.offset.x - 1.0, right = c.offset.x - 0.5;
    uint word = floatBitsToUint(c.offset.w);
    vec3 shifted = vec3(shifted_mass(0.5 * left * left, product), shifted_mass(0.75 - middle * middle, product),
                        shifted_mass(0.5 * right * right, product));
    shifted.y = row.n == vec2(1.0) && row.units != 0.0 ? intBitsToFloat(floatBitsToInt(ROUNDING_SHIFT) + int(word & ~FAST)) : shifted.y;
    ivec3 mass = unshifted(shifted);
    vec3 m = shifted - ROUNDING_SHIFT;
    vec3 v0 = fma(c.q_y.xyz, vec3(row.n.x), fma(c.q_z.xyz, vec3(row.n.y), c.velocity.xyz));
    vec3 v1 = v0 + c.q_x.xyz, v2 = v1 + c.q_x.xyz;
    if ((word & FAST) != 0u) {
        v0 = clamp(v0, -vec3(limit), vec3(limit));
        v1 = clamp(v1, -vec3(limit), vec3(limit));
        v2 = clamp(v2, -vec3(limit), vec3(limit));
        row.sum0 += ivec4(mass.x, fixed_round(m.x * v0));
        row.sum1 += ivec4(mass.y, fixed_round(m.y * v1));
        row.sum2 += ivec4(mass.z, fixed_round(m.z * v2));
        return;
    }
    row.sum0 += ivec4(mass.x, unshifted(fma(vec3(m.x), v0, vec3(ROUNDING_SHIFT))));
    row.sum1 += ivec4(mass.y, unshifted(fma(vec3(m.y), v1, vec3(ROUNDING_SHIFT))));
    row.sum2 += ivec4(mass.z, unshifted(fma(vec3(m.z), v2, vec3(ROUNDING_SHIFT))));
}

// A key for sorting. In its order, particles go on along x, and forth and back along y and z, so that most steps lead to a
// neighbour. Particles of a batch are at most a few cells apart in y and z.
int order_of(ivec3 base) {
    int group = (base.z & 15) << 4 | base.y & 15;
    return base.x << 8 | ((base.x & 1) == 0 ? group : 255 - group);
}

// The place of the particle of an invocation among those of its team.
uint place_of(uint local) {
    uint first = local / BATCH * BATCH, place = first;
    for (uint k = first; k < first + BATCH; k++) {
        place += orders[k] < orders[local] || orders[k] == orders[local] && k < local ? 1u : 0u;
    }
    return place;
}

// Spreads particles by teams of nine invocations.
void by_teams(uint first, uint end, uint local, float limit) {
    uint part = (end - first + TEAMS - 1u) / TEAMS;
    uint loads = first + local / BATCH * part, loaded = min(loads + part, end);
    loads += local % BATCH;
    uint team = local / ROWS, own = first + team * part;
    uint count = team < TEAMS && own < end ? min(part, end - own) : 0u;
    Row row = row_of(local % ROWS);
    ivec3 base = NOWHERE;
    for (uint done = 0u; done < part; done += BATCH) {
        bool has_particle = local < TEAMS * BATCH && loads + done < loaded;
        Carrier mine;
        if (has_particle) {
            mine = carrier_of(loads + done);
        }
        if (local < TEAMS * BATCH) {
            orders[local] = has_particle ? order_of(lowest(mine)) : LAST;
        }
        barrier();
        if (has_particle) {
            carriers[place_of(local)] = mine;
        }
        barrier();
        uint here = min(BATCH, count - min(done, count));
        for (uint i = 0u; i < here; i++) {
            Carrier c = carriers[team * BATCH + i];
            if (lowest(c) != base) {
                follow(row, base, lowest(c));
                base = lowest(c);
            }
            add(row, c, limit);
        }
    }
    follow(row, base, NOWHERE);
}

// Spreads particles by subgroups.
void by_subgroups(uint first, uint end, float limit) {
    uint part = (CHUNK + gl_NumSubgroups - 1u) / gl_NumSubgroups;
    first += gl_SubgroupID * part;
    end = min(first + part, end);
    Row rows[MOST];
    for (uint k = 0u; k < MOST; k++) {
        rows[k] = row_of(gl_SubgroupInvocationID + k * gl_SubgroupSize);
    }
    // Subgroups of 4 and 8 leave one row, which each invocation processes for its own particle.
    Row last = row_of(ROWS - 1u);
    bool has_last = MOST * gl_SubgroupSize < ROWS;
    ivec3 base = NOWHERE, own_base = NOWHERE;
    for (; first < end; first += gl_SubgroupSize) {
        Carrier mine;
        if (first + gl_SubgroupInvocationID < end) {
            mine = carrier_of(first + gl_SubgroupInvocationID);
            if (has_last) {
                if (lowest(mine) != own_base) {
                    follow(last, own_base, lowest(mine));
                    own_base = lowest(mine);
                }
                add(last, mine, limit);
            }
        }
        uint here = min(end - first, gl_SubgroupSize);
        for (uint i = 0u; i < here; i++) {
            Carrier c = broadcast(mine, i);
            bool moves = lowest(c) != base;
            for (uint k = 0u; k < MOST; k++) {
                if (moves) {
                    follow(rows[k], base, lowest(c));
                }
                add(rows[k], c, limit);
            }
            base = lowest(c);
        }
    }
    for (uint k = 0u; k < MOST; k++) {
        follow(rows[k], base, NOWHERE);
    }
    follow(last, own_base, NOWHERE);
}

void stage(uvec3 group, uint local) {
    uint first = matter_held_first + CHUNK * group.x, end = min(first + CHUNK, matter_held_end);
    if (first >= end) {
        return;
    }
    float limit = arg.limit * arg.quanta;
    if (sg_least_subgroup >= 32u) {
        by_teams(first, end, local, limit);
    } else {
        by_subgroups(first, end, limit);
    }
}
