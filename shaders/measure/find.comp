#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "measure/items.glsl"

// Finds the first part of each field with a bad value, whose key is outside the range of valid keys; NaN and infinities
// always are. After a bad value is found in a field, later steps do not change the record of the field.
void main() {
    stage_begin();
    uint item = gl_WorkGroupID.y, row = ITEM_WORDS * (arg.first + item), found = FOUND_WORDS * (arg.first + item);
    uint groups = watch_items(row), least = watch_items(row + 1u), span = watch_items(row + 2u) - least;
    uint step = clock.step + 1u;
    uint part = NO_PART;
    uint64_t start = gl_GlobalInvocationID.x, stride = uint64_t(groups) * gl_WorkGroupSize.x;
    bool looks = gl_WorkGroupID.x < groups && watch_found(found) >= step;
    uint turns = looks ? turns_of(start, measured_count(item), stride) : 0u;
    for (uint turn = 0u; turn < turns; turn++) {
        uint64_t k = start + turn * stride;
        uvec4 keys;
        if (measured_keys(item, k, keys) && any(greaterThan(keys - least, uvec4(span)))) {
            part = min(part, uint(k >> PART_LOG2));
        }
    }
    if (part != NO_PART) {
        min_watch_found(found + 1u, part);
        min_watch_found(found, step);
    }
}
