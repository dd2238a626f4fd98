// The number of a cell's shadow: that of its block in the list of active blocks, which ascends, and its place there;
// all cells of one entry of an array before those of the next.
uint64_t sg_@_shadow(uint field, uvec2 place, uint entry) {
    sg_shadow_word list = sg_shadow_word(sg_shadows.of[field].list);
    uint low = 0u, high = sg_shadow_word(sg_shadows.of[field].count).at[1];
    while (low + 1u < high) {
        uint middle = (low + high) / 2u;
        if ((list.at[middle] & ~sg_outside) <= place.x) low = middle;
        else high = middle;
    }
    int bits = sg_@_b0 + sg_@_b1 + sg_@_b2;
    return ((entry * sg_shadows.of[field].most + low) << bits) | place.y;
}
