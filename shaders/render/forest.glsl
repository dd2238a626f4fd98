// Conifers, only in pictures: they do not affect wind or flakes. Cones on two lattices that are turned against each
// other; a tree stands where the density of the forest exceeds its number, and is shorter towards the edge of a stand.
// Needs noise.glsl; the stage has an argument tree_height (m, of the middling tree; 0: no trees).

const float TREE_SPACING = 1.9;  // m, of each lattice
const float TREE_TALLEST = 1.4;  // of tree_height

struct Tree {
    float height;  // of the crown's surface over the ground here, m; 0 between trees
    float share;   // the same as a share of this tree's height
    vec2 away;     // unit, horizontal, from the stem
    float tone;    // a number of this tree, 0 to 1
};

Tree tree_at(vec2 place, float density) {
    Tree tree = Tree(0.0, 0.0, vec2(0.0), 0.5);
    for (int k = 0; k < 2; ++k) {
        mat2 turn = k == 0 ? mat2(0.8, 0.6, -0.6, 0.8) : mat2(0.97, -0.24, 0.24, 0.97);
        vec2 q = turn * place / TREE_SPACING + 0.37 * float(k);
        ivec2 i = ivec2(floor(q));
        uint h = hash_uint(uint(i.x) * 0x9e3779b1u ^ uint(i.y + 1000 * k) * 0x85ebca6bu);
        vec3 number = vec3(h & 1023u, (h >> 10) & 1023u, h >> 20) / vec3(1024.0, 1024.0, 4096.0);
        // The cone stays inside its lattice cell: half a cell = 0.12 (offset) + 0.38 (radius).
        vec2 from_stem = q - vec2(i) - 0.5 - 0.24 * (number.xy - 0.5);
        float distance_out = length(from_stem);
        float share = 1.0 - distance_out / (0.22 + 0.16 * number.z);
        float room = density - number.y;
        float thriving = room > 0.0 ? 0.5 + 0.5 * smoothstep(0.0, 0.4, room) : 0.0;
        float tall = arg.tree_height * (0.6 + 0.8 * number.z) * thriving;
        if (share > 0.0 && tall * share > tree.height) {
            tree = Tree(tall * share, share, (from_stem / max(distance_out, 1e-3)) * turn, number.x);
        }
    }
    return tree;
}
