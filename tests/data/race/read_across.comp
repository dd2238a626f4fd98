#version 460
#include "stage.glsl"

void stage(uint i) {
    // What came too early once stays wrong.
    set_second(i, second(i) * 31u + (first(first_length - 1u - i) ^ clock.step));
}
