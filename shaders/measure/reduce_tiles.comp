#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "measure/items.glsl"
#include "measure/fold.glsl"

// Elements along each axis; rows of a tile, which lies in a plane in z.
layout(constant_id = 3) const uint SIDE_X = 1u;
layout(constant_id = 4) const uint SIDE_Y = 1u;
layout(constant_id = 5) const uint SIDE_Z = 1u;
layout(constant_id = 6) const uint TILE_Y = 16u;
// The eight tiles of a workgroup along y; the others are along z.
layout(constant_id = 7) const uint GROUP_Y = 1u;
// Components, each with a result.
layout(constant_id = 8) const uint ITEMS = 1u;

const uint TILE_X = 32u;

// Combines the elements of each tile of a grid to a partial result per component. Tiles do not depend on the part of the grid
// that a rank has. Partial results are stored plane by plane, as the entries of arrays.
void main() {
    stage_begin();
    uvec3 tiles = uvec3((SIDE_X + TILE_X - 1u) / TILE_X, (SIDE_Y + TILE_Y - 1u) / TILE_Y, SIDE_Z);
    uint lane = gl_LocalInvocationID.x, number = lane / TILE_X;
    uvec3 tile = gl_WorkGroupID * uvec3(1u, GROUP_Y, 8u / GROUP_Y) + uvec3(0u, number % GROUP_Y, number / GROUP_Y);
    uvec3 low = uvec3(0u), size = tiles;
#ifdef STAGE_IS_CUT
    low = uvec3(sg_low);
    size = uvec3(sg_part);
#endif
    bool is_inside = all(lessThan(tile, size));
    tile += low;
    uint x = tile.x * TILE_X + lane % TILE_X, first = tile.y * TILE_Y;
    uint end = is_inside && x < SIDE_X ? min(first + TILE_Y, SIDE_Y) : 0u;
    for (uint item = 0u; item < ITEMS; ++item) {
        uvec2 mine = nothing();
        for (uint y = first; y < end; ++y) {
            uvec4 keys;
            if (measured_keys(item, (uint64_t(tile.z) * SIDE_Y + y) * SIDE_X + x, keys)) {
                mine = folded(mine, single(keys.x));
            }
        }
        uvec2 all_of_tile = fold_lanes(mine, TILE_X);
        if (is_inside && lane % TILE_X == 0u) {
            uint at = 2u * (((tile.z * ITEMS + item) * tiles.y + tile.y) * tiles.x + tile.x);
            put(at, all_of_tile.x);
            put(at + 1u, all_of_tile.y);
        }
        // The shared values are of the next component from here on.
        barrier();
    }
}
