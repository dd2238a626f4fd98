#version 460
// Writes the fault record of the first race, unless there is a fault already, and begins the next dispatch.
#include "engine/shadows.glsl"

layout(local_size_x = 1) in;

// As in docs/abi.md.
const uint RACE = 7u;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Fault {
    uint claimed;
    uint stage;
    uint field;
    uint kind;
    uvec3 index;
    uvec3 invocation;
    uint started;
    uint entry;
};
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };

void main() {
    uint64_t element = look.dispatch.lowest;
    Fault fault = Fault(look.fault);
    if (element < look.elements && atomicCompSwap(fault.claimed, 0u, 1u) == 0u) {
        Race race = race_of(element);
        uint number = 0u;
        while (number + 1u < look.regions && look.region[number + 1u].first <= element) {
            number++;
        }
        Region region = look.region[number];
        uint64_t within = (element - region.first) % region.of_entry;
        fault.stage = look.stage;
        fault.field = region.field;
        fault.kind = RACE;
        fault.entry = uint((element - region.first) / region.of_entry);
        // For a sparse grid: the index of the cell in its block, and the number of the block.
        uvec2 index = uvec2(uint(within), uint(within >> 32));
        if (region.list != 0ul) {
            index.x = uint(within) & ((1u << region.bits) - 1u);
            // Without the mark of blocks with active neighbours.
            index.y = Words(region.list).at[uint(within >> region.bits)] & 0x7fffffffu;
        }
        fault.index = uvec3(index, race.first_use | race.second_use << 2);
        fault.invocation = uvec3(race.first, race.second, look.dispatch.of_groups);
    }
    look.dispatch.lowest = ~0ul;
    look.dispatch.number++;
}
