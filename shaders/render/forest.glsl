// Conifers. They are only in pictures: wind and flakes do not meet them. Two lattices, one rotated relative to the other, have
// a place for a tree in each cell. A cell has a tree if the density of the forest is above the random number of the cell.
// Trees at the edge of a forest are shorter.
// Needs noise.glsl; the stage has an argument tree_height (m, of the middling tree; 0: no trees).

const float TREE_TALLEST = 1.4;  // of tree_height

struct Tree {
    float share;  // height of the place as a share of this tree's height; 0 outside trees
    float skirt;  // from 0 at the lower edge of a tier of branches to 1 under the next
    vec2 away;    // unit, horizontal, from the stem
    float tone;   // a number of this tree, 0 to 1
};

// m, of each lattice. Crowns of tall trees are wide in proportion.
float tree_spacing() {
    return max(1.9, 0.73 * arg.tree_height);
}

// The tree at a place, `over` m above the ground.
Tree tree_at(vec2 place, float density, float over) {
    const float TRUNK = 0.1, TIERS = 3.0;
    Tree tree = Tree(0.0, 0.0, vec2(0.0), 0.5);
    for (int k = 0; k < 2; ++k) {
        mat2 turn = k == 0 ? mat2(0.8, 0.6, -0.6, 0.8) : mat2(0.97, -0.24, 0.24, 0.97);
        vec2 q = turn * place / tree_spacing() + 0.37 * float(k);
        ivec2 i = ivec2(floor(q));
        uint h = hash_uint(uint(i.x) * 0x9e3779b1u ^ uint(i.y + 1000 * k) * 0x85ebca6bu);
        vec3 number = vec3(h & 1023u, (h >> 10) & 1023u, h >> 20) / vec3(1024.0, 1024.0, 4096.0);
        // The tree stays inside its lattice cell: half a cell = 0.12 (offset) + 0.38 (radius).
        vec2 from_stem = q - vec2(i) - 0.5 - 0.24 * (number.xy - 0.5);
        float distance_out = length(from_stem);
        float room = density - number.y, radius = 0.22 + 0.16 * number.z;
        if (room <= 0.0 || distance_out >= radius) {
            continue;
        }
        float share = over / (arg.tree_height * (0.6 + 0.8 * number.z) * (0.5 + 0.5 * smoothstep(0.0, 0.4, room)));
        // Each tier is a cone that begins wider than the one below it ends.
        float level = TIERS * (share - TRUNK) / (1.0 - TRUNK), tier = floor(level), skirt = level - tier;
        float wide = share < TRUNK ? 0.12 : mix(TIERS - tier, 0.55 * (TIERS - tier - 1.0), skirt) / TIERS;
        if (share > tree.share && share < 1.0 && distance_out < radius * wide) {
            tree = Tree(share, skirt, (from_stem / max(distance_out, 1e-3)) * turn, number.x);
        }
    }
    return tree;
}
