#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "stage.glsl"
#include "lib/bspline.glsl"
#include "lib/fixed_point.glsl"

#pragma reads matter.position matter.velocity matter.affine
#pragma writes nodes.mass nodes.px nodes.py nodes.pz counters
#pragma arguments units quanta limit
#pragma argument uint units
#pragma constant CHUNK chunk
#pragma workgroup 32

// Particle to grid (Jiang et al. 2015, "The affine particle-in-cell method", equation 8): a particle of mass m, velocity v
// and affine matrix Q gives a node at distance d (m) with weight w
//     w m (v + Q d)
// in fixed point (lib/fixed_point.glsl). A subgroup processes particles one by one. Each invocation owns the nodes of
// one residue class modulo 3 per axis, so the 27 nodes of a particle belong to different invocations. It keeps its sum
// in a register and adds it to the grid when the node changes. If particles are sorted by cell, this is rare: once for
// three cells of a row. The order does not affect results, because sums are of integers. A
// workgroup of 32 processes CHUNK particles. counters(0) counts invocations that met a contribution faster than
// arg.limit.
//
// A subgroup of 32 is the workgroup, and an invocation has one node, in registers and not in an array. Its particles are in
// shared memory: a vector is one load for all invocations, where a broadcast takes an instruction for each component.
layout(constant_id = 0) const uint CHUNK = 128u;
// The smallest subgroup of the device. The program sets it.
layout(constant_id = 1001) const uint sg_least_subgroup = 4u;
// Number of nodes per invocation: enough for 27 nodes with the smallest subgroup.
const uint PER = sg_least_subgroup >= 32u ? 1u : 32u / sg_least_subgroup;

// The data of a particle in a subgroup.
struct Carrier {
    vec4 offset;    // from its lowest node, in cells; fourth: units of mass for the middle node
    vec4 velocity;  // m/s; fourth: 0 if no contribution can be faster than arg.limit
    vec4 q_x;       // columns of Q, 1/s; in the fourth components the coordinates of the lowest node
    vec4 q_y;
    vec4 q_z;
};

Carrier carrier_of(uint particle) {
    Spline s = spline_at(nodes_coordinates(matter_position(particle)));
    uint rest = arg.units;
    for (int k = 0; k < 27; k++) {
        if (k != 13) {
            rest -= fixed_mass(spline_weight(s, ivec3(k % 3, k / 3 % 3, k / 9)), arg.units);
        }
    }
    vec3 velocity = matter_velocity(particle);
    mat3 q = matter_affine(particle);
    // Nodes are up to 1.5 cells away along each axis. NaN does not count as calm.
    vec3 fastest = abs(velocity) + 1.5 * nodes_dx * (abs(q[0]) + abs(q[1]) + abs(q[2]));
    float calm = all(lessThan(fastest, vec3(0.999 * arg.limit))) ? 0.0 : 1.0;
    vec3 base = intBitsToFloat(s.base);
    return Carrier(vec4(s.offset, uintBitsToFloat(rest)), vec4(velocity, calm), vec4(q[0], base.x), vec4(q[1], base.y),
                   vec4(q[2], base.z));
}

shared vec4 carriers[5 * 32];

void keep(Carrier c, uint slot) {
    carriers[5u * slot] = c.offset;
    carriers[5u * slot + 1u] = c.velocity;
    carriers[5u * slot + 2u] = c.q_x;
    carriers[5u * slot + 3u] = c.q_y;
    carriers[5u * slot + 4u] = c.q_z;
}

Carrier kept(uint slot) {
    return Carrier(carriers[5u * slot], carriers[5u * slot + 1u], carriers[5u * slot + 2u], carriers[5u * slot + 3u],
                   carriers[5u * slot + 4u]);
}

Carrier broadcast(Carrier c, uint i) {
    return Carrier(subgroupBroadcast(c.offset, i), subgroupBroadcast(c.velocity, i), subgroupBroadcast(c.q_x, i),
                   subgroupBroadcast(c.q_y, i), subgroupBroadcast(c.q_z, i));
}

// A node of an invocation, and its sums.
struct Node {
    ivec3 residue;  // coordinates modulo 3: exactly one of any 3 x 3 x 3 nodes
    ivec3 at;
    vec3 n;         // of the three along each axis
    // The weight of lib/bspline.glsl along each axis: steep d^2 + rise with d = sign offset + shift. Products by these
    // numbers are exact, so the bits are those of the library.
    vec3 sign;
    vec3 shift;
    vec3 steep;
    vec3 rise;
    float units;    // 0 if this is not one of the 27
    bool middle;
    ivec4 share;    // the sum of its shares
};

Node node_of(uint number) {
    Node node;
    node.residue = ivec3(number % 3u, number / 3u % 3u, number / 9u);
    node.at = ivec3(-1);
    node.units = number < 27u ? float(arg.units) : 0.0;
    node.share = ivec4(0);
    return node;
}

// Adds the sums to the grid.
void give(Node node) {
    if (node.share.x != 0) {
        add_nodes_mass(node.at, uint(node.share.x));
        add_nodes_px(node.at, node.share.y);
        add_nodes_py(node.at, node.share.z);
        add_nodes_pz(node.at, node.share.w);
    }
}

// Follows the particles to those whose lowest node is `base`.
void follow(inout Node node, ivec3 base) {
    ivec3 from = (node.residue - base % 3 + 3) % 3;
    if (base + from != node.at) {
        give(node);
        node.share = ivec4(0);
        node.at = base + from;
    }
    node.n = vec3(from);
    node.middle = from == ivec3(1) && node.units != 0.0;
    bvec3 left = equal(node.n, vec3(0.0)), middle = equal(node.n, vec3(1.0));
    node.sign = mix(vec3(1.0), vec3(-1.0), left);
    node.shift = mix(mix(vec3(-0.5), vec3(-1.0), middle), vec3(1.5), left);
    node.steep = mix(vec3(0.5), vec3(-1.0), middle);
    node.rise = mix(vec3(0.0), vec3(0.75), middle);
}

// The share of a node in a particle: mass in x, momentum in yzw.
ivec4 share_of(Node node, Carrier c, inout bool clamped) {
    vec3 d = node.sign * c.offset.xyz + node.shift, weight = node.steep * (d * d) + node.rise;
    mat3 q = mat3(c.q_x.xyz, c.q_y.xyz, c.q_z.xyz);
    vec3 carried = c.velocity.xyz + q * ((node.n - c.offset.xyz) * nodes_dx);
    int mass = int(weight.x * weight.y * weight.z * node.units + 0.5);
    mass = node.middle ? floatBitsToInt(c.offset.w) : mass;
    if (c.velocity.w != 0.0) {
        clamped = clamped || mass != 0 && fixed_clamps(carried, arg.limit);
        carried = clamp(carried, -vec3(arg.limit), vec3(arg.limit));
    }
    return ivec4(mass, fixed_round(float(mass) * arg.quanta * carried));
}

// DO(NODE, NUMBER) for each node of an invocation.
#define EACH_NODE(DO) \
    if (PER == 1u) { \
        DO(one, gl_SubgroupInvocationID) \
    } else { \
        for (uint k = 0u; k < PER; k++) { \
            DO(several[k], gl_SubgroupInvocationID + k * width) \
        } \
    }

void stage(uvec3 group, uint local) {
    uint chunk = CHUNK * group.x;
    uint part = (CHUNK + gl_NumSubgroups - 1u) / gl_NumSubgroups;
    uint first = chunk + gl_SubgroupID * part;
    uint end = min(min(first + part, chunk + CHUNK), matter_count);
    if (first >= end) {
        return;
    }
    uint width = min(gl_SubgroupSize, 32u);
    Node one, several[PER];
#define BEGIN(NODE, NUMBER) NODE = node_of(NUMBER);
    EACH_NODE(BEGIN)
    ivec3 base = ivec3(-1);
    bool clamped = false;
    for (; first < end; first += width) {
        Carrier mine = carrier_of(min(first + gl_SubgroupInvocationID, end - 1u));
        if (PER == 1u) {
            subgroupBarrier();
            keep(mine, gl_SubgroupInvocationID);
            subgroupBarrier();
        }
        uint here = min(end - first, width);
        for (uint i = 0u; i < here; i++) {
            Carrier c;
            if (PER == 1u) {
                c = kept(i);
            } else {
                c = broadcast(mine, i);
            }
            ivec3 lowest = floatBitsToInt(vec3(c.q_x.w, c.q_y.w, c.q_z.w));
            if (lowest != base) {
                base = lowest;
#define FOLLOW(NODE, NUMBER) follow(NODE, base);
                EACH_NODE(FOLLOW)
            }
#define ADD(NODE, NUMBER) NODE.share += share_of(NODE, c, clamped);
            EACH_NODE(ADD)
        }
    }
#define GIVE(NODE, NUMBER) give(NODE);
    EACH_NODE(GIVE)
    if (clamped) {
        add_counters(0u, 1u);
    }
}
