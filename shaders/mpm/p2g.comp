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

Carrier broadcast(Carrier c, uint i) {
    return Carrier(subgroupBroadcast(c.offset, i), subgroupBroadcast(c.velocity, i), subgroupBroadcast(c.q_x, i),
                   subgroupBroadcast(c.q_y, i), subgroupBroadcast(c.q_z, i));
}

// The weights of lib/bspline.glsl along each axis, of node n of 3.
vec3 weights_of(vec3 n, vec3 offset) {
    vec3 far = mix(offset - 0.5, 1.5 - offset, equal(n, vec3(0.0)));
    vec3 near = offset - 1.0;
    return mix(0.5 * far * far, 0.75 - near * near, equal(n, vec3(1.0)));
}

// Mass in x, momentum in yzw.
void give(ivec3 node, ivec4 share) {
    if (share.x != 0) {
        add_nodes_mass(node, uint(share.x));
        add_nodes_px(node, share.y);
        add_nodes_py(node, share.z);
        add_nodes_pz(node, share.w);
    }
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
    // This invocation owns the nodes with these coordinates modulo 3: exactly one of any 3 x 3 x 3 nodes.
    ivec3 residue[PER], node[PER];
    vec3 n[PER];
    float units[PER];
    bool middle[PER];
    ivec4 share[PER];
    for (uint k = 0u; k < PER; k++) {
        uint number = gl_SubgroupInvocationID + k * width;
        residue[k] = ivec3(number % 3u, number / 3u % 3u, number / 9u);
        units[k] = number < 27u ? float(arg.units) : 0.0;
        node[k] = ivec3(-1);
        share[k] = ivec4(0);
    }
    vec3 limit = vec3(arg.limit);
    ivec3 base = ivec3(-1);
    bool clamped = false;
    for (; first < end; first += width) {
        Carrier mine = carrier_of(min(first + gl_SubgroupInvocationID, end - 1u));
        uint here = min(end - first, width);
        for (uint i = 0u; i < here; i++) {
            Carrier c = broadcast(mine, i);
            ivec3 lowest = floatBitsToInt(vec3(c.q_x.w, c.q_y.w, c.q_z.w));
            if (lowest != base) {
                base = lowest;
                for (uint k = 0u; k < PER; k++) {
                    ivec3 from = (residue[k] - base % 3 + 3) % 3;
                    if (base + from != node[k]) {
                        give(node[k], share[k]);
                        share[k] = ivec4(0);
                        node[k] = base + from;
                    }
                    n[k] = vec3(from);
                    middle[k] = from == ivec3(1) && units[k] != 0.0;
                }
            }
            for (uint k = 0u; k < PER; k++) {
                vec3 weight = weights_of(n[k], c.offset.xyz);
                mat3 q = mat3(c.q_x.xyz, c.q_y.xyz, c.q_z.xyz);
                vec3 carried = c.velocity.xyz + q * ((n[k] - c.offset.xyz) * nodes_dx);
                int mass = int(weight.x * weight.y * weight.z * units[k] + 0.5);
                mass = middle[k] ? floatBitsToInt(c.offset.w) : mass;
                if (c.velocity.w != 0.0) {
                    clamped = clamped || mass != 0 && fixed_clamps(carried, arg.limit);
                    carried = clamp(carried, -limit, limit);
                }
                share[k] += ivec4(mass, fixed_round(float(mass) * arg.quanta * carried));
            }
        }
    }
    for (uint k = 0u; k < PER; k++) {
        give(node[k], share[k]);
    }
    if (clamped) {
        add_counters(0u, 1u);
    }
}
