#version 460
#include "stage.glsl"

layout(constant_id = 0) const uint ASK = 1u;

uint hash(uint v) {
    v = v * 747796405u + 2891336453u;
    v = ((v >> ((v >> 28u) + 4u)) ^ v) * 277803737u;
    return (v >> 22u) ^ v;
}

// Cells anywhere in twice the largest side, in and out of the grid, there or not.
void stage(uint i) {
    int largest = max(g_cells.x, max(g_cells.y, g_cells.z));
    ivec3 cell;
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = int(hash(3u * (i + 4096u * clock.step) + uint(axis)) % uint(2 * largest)) - largest / 2;
    }
    bool inside = all(greaterThanEqual(cell, ivec3(0))) && all(lessThan(cell, g_cells));
    uint found = g_is_active(cell) ? 0x80000000u : 0u;
    set_found(i, found | (inside ? g_id(cell, 0x40000000u + i) : 0x20000000u));
    if (i % ASK == 0u) {
        request_g(cell);
    }
}
