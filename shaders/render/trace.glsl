// Ray against the surface: a walk over blocks of cells that skips blocks below the ray, and within the others over
// cells, each an exact bilinear patch (Amanatides & Woo 1987 for the walk). Needs surface.glsl, forest.glsl,
// blocks.glsl and summit.glsl; the stage reads ground.forest, blocks.top and summit.

struct Hit {
    float distance;  // m along the ray; infinity: none
    vec2 place;      // of the hit, in vertices, folded into the ground
};

const float NO_HIT = 1.0 / 0.0;

// The surface over a cell: height = at + dot(by, f) + twist f.x f.y for f in [0, 1]^2, in metres.
struct Patch {
    float at;
    vec2 by;
    float twist;
};

Patch patch_at(ivec2 cell) {
    float h00 = surface_height(cell);
    float h10 = surface_height(cell + ivec2(1, 0));
    float h01 = surface_height(cell + ivec2(0, 1));
    float h11 = surface_height(cell + ivec2(1, 1));
    return Patch(h00, vec2(h10 - h00, h01 - h00), h00 - h10 - h01 + h11);
}

float patch_height(Patch h, vec2 f) {
    return h.at + dot(h.by, f) + h.twist * f.x * f.y;
}

// First s in [0, range] at which the ray comes down to the patch raised by `lift`, or NO_HIT. `f` (in the cell, 0 to 1)
// and `z` are the ray at s = 0, `df` and `dz` its change per unit of s.
float patch_hit(Patch h, float lift, vec2 f, float z, vec2 df, float dz, float range) {
    // Height of the ray over the patch: a s^2 + b s + c.
    float a = -h.twist * df.x * df.y;
    float b = dz - dot(h.by, df) - h.twist * (f.x * df.y + f.y * df.x);
    float c = z - patch_height(h, f) - lift;
    if (c <= 0.0) {
        return 0.0;
    }
    float root = b * b - 4.0 * a * c;
    if (root < 0.0) {
        return NO_HIT;
    }
    // With c > 0 the first crossing is 2c / (-b + sqrt(root)), stable for small a and negative when the ray only rises.
    float s = 2.0 * c / (-b + sqrt(root));
    return s >= 0.0 && s <= range ? s : NO_HIT;
}

// Ray against the trees of a cell: small steps through the layer that they fill.
float tree_hit(ivec2 cell, Patch h, vec2 f, float z, vec2 df, float dz, float range) {
    vec4 d = vec4(ground_forest(cell), ground_forest(cell + ivec2(1, 0)), ground_forest(cell + ivec2(0, 1)),
                  ground_forest(cell + ivec2(1, 1)));
    if (arg.tree_height <= 0.0 || max(max(d.x, d.y), max(d.z, d.w)) <= 0.0) {
        return NO_HIT;
    }
    float enter = patch_hit(h, TREE_TALLEST * arg.tree_height, f, z, df, dz, range);
    if (enter > range) {
        return NO_HIT;
    }
    float pace = 0.1 * max(arg.tree_height, 1.0);
    [[dont_unroll]] for (float s = enter; s < range; s += pace) {
        vec2 at = f + df * s;
        float density = mix(mix(d.x, d.y, at.x), mix(d.z, d.w, at.x), at.y);
        float over = z + dz * s - patch_height(h, at);
        if (tree_at(ground_position(cell) + at * ground_spacing, density, over).share > 0.0) {
            return s;
        }
        if (over < 0.0) {
            break;
        }
    }
    return NO_HIT;
}

Hit surface_trace(vec3 eye, vec3 ray, float reach) {
    vec2 last = vec2(ground_vertices - 1);
    vec2 o = ground_coordinates(eye.xy);
    vec2 d = ray.xy / ground_spacing;
    d = mix(d, vec2(1e-9), lessThan(abs(d), vec2(1e-9)));
    float summit_z = summit_height(summit(0u));
    float t = ray.z < 0.0 ? max(0.0, (summit_z - eye.z) / ray.z) : 0.0;
    // An eye beyond the border looks out of the mirror image that it is in.
    vec2 start = o + d * t;
    vec2 lap = start - 2.0 * last * floor(start / (2.0 * last));
    bvec2 mirrored = greaterThan(lap, last);
    d = mix(d, -d, mirrored);
    o = mix(lap, 2.0 * last - lap, mirrored) - d * t;
    ivec2 cell = clamp(ivec2(floor(o + d * t)), ivec2(0), ground_vertices - 2);
    ivec2 span = block_cells();
    for (int k = 0; k < 4096 && t < reach; ++k) {
        float z = eye.z + ray.z * t;
        if (ray.z >= 0.0 && z > summit_z) {
            break;
        }
        ivec2 block = cell / span;
        ivec2 low = block * span;
        ivec2 high = min(low + span, ground_vertices - 1);
        vec2 exits = (mix(vec2(low), vec2(high), greaterThan(d, vec2(0.0))) - o) / d;
        float leave = max(min(exits.x, exits.y), t);
        if (min(z, eye.z + ray.z * leave) <= blocks_top(block)) {
            low = cell;
            high = cell + 1;
            exits = (mix(vec2(low), vec2(high), greaterThan(d, vec2(0.0))) - o) / d;
            leave = max(min(exits.x, exits.y), t);
            vec2 f = o + d * t - vec2(cell);
            Patch h = patch_at(cell);
            float s = patch_hit(h, 0.0, f, z, d, ray.z, leave - t);
            s = min(s, tree_hit(cell, h, f, z, d, ray.z, min(leave - t, s)));
            if (s < NO_HIT) {
                return Hit(t + s, o + d * (t + s));
            }
        }
        // On: exactly one cell beyond the edge that is crossed; along it, wherever the ray is by then.
        t = leave;
        ivec2 next = clamp(ivec2(floor(o + d * t)), low, high - 1);
        if (exits.x <= exits.y) {
            next.x = d.x > 0.0 ? high.x : low.x - 1;
        } else {
            next.y = d.y > 0.0 ? high.y : low.y - 1;
        }
        // At the border of the ground the ray turns back into it: the mirror image of surface_fold().
        bvec2 over = greaterThan(next, ground_vertices - 2);
        bvec2 turned = bvec2(next.x < 0 || over.x, next.y < 0 || over.y);
        o = mix(o, mix(-o, 2.0 * last - o, over), turned);
        d = mix(d, -d, turned);
        cell = clamp(next, ivec2(0), ground_vertices - 2);
    }
    return Hit(NO_HIT, vec2(0.0));
}
