// The surface in a grid where a value crosses arg.level, by marching cubes (Lorensen & Cline 1987, "Marching cubes: a high
// resolution 3D surface construction algorithm") made on the way of a ray. The cells of the dual lattice, with centres of the
// grid's cells as corners, are cubes here; there is one more along each axis than there are cells, because values beyond the
// border count as outside, so the surface is closed there: exactly at the border. Inside is above the level if arg.side is 1,
// below if it is 0. Lengths in cells, from the corner of the first cube. The stage reads grid.value, cubes and the
// buffer `cases`; where there is a body also body.shape and body_cubes: its surface is where the shape is 1/2.

#include "lib/rounding.glsl"
#include "render/cubes.glsl"

const float NO_HIT = 1.0 / 0.0;
// Relative enlargement of triangles, so that rays do not slip through between them.
const float SEAM = 1e-4;

// Which of the two surfaces; it is known when the shader is compiled, so branches on it cost nothing.
const int LIQUID = 0;
const int SOLID = 1;
#if HAS_body_shape
#define OF(which, liquid, solid) (which == LIQUID ? liquid : solid)
#else
#define OF(which, liquid, solid) liquid
#endif

struct Meeting {
    float run;    // m along the ray, or NO_HIT
    vec3 place;   // in cubes
    vec3 normal;  // of the triangle, in cubes, of any length; it points out of the surface
};

ivec3 cells_of(int which) {
    return OF(which, grid_cells, body_cells);
}

vec3 spacing_of(int which) {
    return OF(which, grid_spacing, body_spacing);
}

vec3 origin_of(int which) {
    return OF(which, grid_origin, body_origin);
}

// Positive inside. `corner` is a corner of cubes: corner c is the centre of cell c - 1.
float depth_at(int which, ivec3 corner) {
    ivec3 cell = corner - 1, near = clamp(cell, ivec3(0), cells_of(which) - 1);
    float depth = OF(which, (2.0 * arg.side - 1.0) * (float(grid_value(near)) - arg.level), float(body_shape(near)) - 0.5);
    return near == cell ? depth : -abs(depth);
}

vec3 to_cubes(int which, vec3 world) {
    return (world - origin_of(which)) / spacing_of(which) + 0.5;
}

vec3 to_world(int which, vec3 place) {
    return origin_of(which) + (place - 0.5) * spacing_of(which);
}

float depth_between(int which, vec3 place) {
    ivec3 low = clamp(ivec3(floor(place)), ivec3(0), cells_of(which));
    vec3 f = clamp(place - vec3(low), 0.0, 1.0);
    float v[4];
    for (int k = 0; k < 4; k++) {
        ivec3 corner = low + ivec3(0, k & 1, k >> 1);
        v[k] = mix(depth_at(which, corner), depth_at(which, corner + ivec3(1, 0, 0)), f.x);
    }
    return mix(mix(v[0], v[1], f.y), mix(v[2], v[3], f.y), f.z);
}

// The outward unit normal: central differences at the corners, interpolated to the position. It equals the difference of
// interpolated values one cell before and after.
vec3 normal_at(int which, Meeting m) {
    vec3 slope = vec3(depth_between(which, m.place - vec3(1, 0, 0)) - depth_between(which, m.place + vec3(1, 0, 0)),
                      depth_between(which, m.place - vec3(0, 1, 0)) - depth_between(which, m.place + vec3(0, 1, 0)),
                      depth_between(which, m.place - vec3(0, 0, 1)) - depth_between(which, m.place + vec3(0, 0, 1)));
    vec3 flat_normal = normalize(m.normal / spacing_of(which));
    slope /= spacing_of(which);
    float size = length(slope);
    return size > 0.0 && dot(slope, flat_normal) > 0.0 ? slope / size : flat_normal;
}

// The vertex on an edge of a cube, see scripts/marching-cubes for its number. Every cube at the edge interpolates from one
// end, so they agree on the point.
vec3 vertex(uint edge, float depth[8]) {
    uint axis = edge >> 2, b = edge & 1u, c = edge >> 1 & 1u;
    uvec3 low = axis == 0u ? uvec3(0u, b, c) : axis == 1u ? uvec3(b, 0u, c) : uvec3(b, c, 0u);
    uint k = low.x + 2u * low.y + 4u * low.z;
    float here = depth[k], there = depth[k + (1u << axis)];
    vec3 place = vec3(low);
    place[axis] = here / (here - there);
    return place;
}

// The first triangle of a cube that a ray meets from its `outside` (or from inside), at run `t`: Moeller & Trumbore 1997, "Fast,
// minimum storage ray-triangle intersection". `from` is relative to the cube.
void meet_cube(vec3 from, vec3 ray, bool outside, float depth[8], uint inside, inout float t, inout vec3 normal) {
    uvec2 edges = cases(inside);
    t = NO_HIT;
    for (int k = 0; k < 5 && (edges.x & 15u) != 15u; k++) {
        vec3 a = vertex(edges.x & 15u, depth);
        vec3 ab = vertex(edges.x >> 4 & 15u, depth) - a, ac = vertex(edges.x >> 8 & 15u, depth) - a;
        edges = uvec2(edges.x >> 12 | edges.y << 20, edges.y >> 12);
        vec3 across = cross(ray, ac);
        float facing = dot(ab, across);  // positive if the ray comes from outside
        if (outside ? facing <= 0.0 : facing >= 0.0) {
            continue;
        }
        vec3 to = from - a, over = cross(to, ab);
        float u = dot(to, across) / facing, v = dot(ray, over) / facing, run = dot(ac, over) / facing;
        if (min(u, v) >= -SEAM && u + v <= 1.0 + SEAM && run >= -SEAM && run < t) {
            t = run;
            normal = cross(ab, ac);
        }
    }
}

// The first crossing of a ray with a surface before `reach` metres. The walk visits block by block, and
// in blocks that the surface crosses cube by cube (Amanatides & Woo 1987, "A fast voxel traversal algorithm"). It counts
// cubes in integers, so rounding can neither skip one nor stop a ray.
Meeting meet(int which, vec3 eye, vec3 ray, bool outside, float reach) {
    Meeting none = Meeting(NO_HIT, vec3(0.0), vec3(0.0));
    ivec3 cubes = cells_of(which) + 1;
    vec3 o = to_cubes(which, eye), d = ray / spacing_of(which);
    d = mix(d, vec3(1e-9), lessThan(abs(d), vec3(1e-9)));
    vec3 pace = 1.0 / d, ends = -o * pace, others = (vec3(cubes) - o) * pace;
    vec3 enters = min(ends, others), leaves = max(ends, others);
    float start = max(max(enters.x, enters.y), max(enters.z, 0.0));
    float end = min(min(leaves.x, leaves.y), min(leaves.z, reach));
    if (start >= end) {
        return none;
    }
    // From the place where the ray enters, coordinates are small and runs exact.
    o += d * start;
    float t = 0.0;
    ivec3 cube = clamp(ivec3(floor(o)), ivec3(0), cubes - 1);
    bvec3 ahead = greaterThan(d, vec3(0.0));
    int most = 3 * (cubes.x + cubes.y + cubes.z);
    for (int k = 0; k < most && start + t < end; k++) {
        ivec3 block = block_of(cube), low = cube & ~7, size = ivec3(8);
        uint crossed = 0u;
        if (OF(which, cubes_crossed(block), body_cubes_crossed(block)) != 0u) {
            uint part = part_of(cube);
            crossed = OF(which, cubes_bits(block, part), body_cubes_bits(block, part));
            size = crossed == 0u ? PART : ivec3(1);
            low = cube & ~(size - 1);
        }
        ivec3 high = min(low + size, cubes);
        if ((crossed & bit_of(cube)) != 0u) {
            float depth[8];
            uint inside = 0u;
            for (int c = 0; c < 8; c++) {
                depth[c] = depth_at(which, cube + ivec3(c & 1, c >> 1 & 1, c >> 2));
                inside |= depth[c] > 0.0 ? 1u << c : 0u;
            }
            if (inside != 0u && inside != 255u) {
                float run;
                vec3 normal;
                vec3 at = o + d * t;
                meet_cube(at - vec3(cube), d, outside, depth, inside, run, normal);
                if (run < NO_HIT) {
                    float whole = start + t + run;
                    return whole < reach ? Meeting(whole, at + d * run, normal) : none;
                }
            }
        }
        vec3 exits = (vec3(mix(low, high, ahead)) - o) * pace;
        float next = min(exits.x, min(exits.y, exits.z));
        t = max(next, t);
        // On: exactly one cube beyond the side that is crossed; along it, wherever the ray is by then.
        ivec3 there = clamp(nearest_integer(floor(o + d * t)), low, high - 1), beyond = mix(low - 1, high, ahead);
        bool x = exits.x <= next, y = !x && exits.y <= next;
        cube = ivec3(x ? beyond.x : there.x, y ? beyond.y : there.y, x || y ? there.z : beyond.z);
        if (any(greaterThanEqual(uvec3(cube), uvec3(cubes)))) {
            break;
        }
    }
    return none;
}
