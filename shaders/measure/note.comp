#version 460
#include "stage.glsl"
#include "measure/items.glsl"

// Records for the host the first bad element of a field, in the part that was found in this step.
void stage(uint item) {
    uint row = ITEM_WORDS * (arg.first + item), found = FOUND_WORDS * (arg.first + item);
    uint least = watch_items(row + 1u), span = watch_items(row + 2u) - least;
    uint step = clock.step + 1u;
    if (watch_found(found) != step) {
        return;
    }
    uint64_t start = uint64_t(watch_found(found + 1u)) << PART_LOG2;
    uint turns = turns_of(start, min(start + (1ul << PART_LOG2), measured_count(item)), 1ul);
    for (uint turn = 0u; turn < turns; turn++) {
        uint64_t k = start + turn;
        uvec4 keys;
        if (!measured_keys(item, k, keys)) {
            continue;
        }
        for (int component = 0; component < 4; component++) {
            if (keys[component] - least > span) {
                uint record = RECORD_WORDS * (arg.first + item);
                uint64_t place = measured_place(item, k);
                set_watch_record(record + 1u, uint(place));
                set_watch_record(record + 2u, uint(place >> 32));
                set_watch_record(record + 3u, keys[component]);
                set_watch_record(record + 4u, uint(component));
                set_watch_record(record, step);
                return;
            }
        }
    }
}
