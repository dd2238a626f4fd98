#version 460
#include "stage.glsl"
#include "engine/unfinished.glsl"

// After the last iteration of a repeat: if its condition still holds, counts that and records the first time.
void stage(uint i) {
    if (condition(0u) == 0u) {
        return;
    }
    uint times = record(UNFINISHED_TIMES);
    if (times == 0u) {
        set_record(UNFINISHED_STEP, clock.step + 1u);
        set_record(UNFINISHED_FRAME, clock.frame);
        set_record(UNFINISHED_ITERATIONS, arg.iterations);
    }
    set_record(UNFINISHED_TIMES, times + uint(times != ~0u));
}
