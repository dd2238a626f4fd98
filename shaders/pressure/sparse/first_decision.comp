#version 460
#include "stage.glsl"
#include "pressure/decide.glsl"

// Before the first iteration: whether one is needed at all, and the state of a search without a direction.
void stage(uint i) {
    vec4 sums = vec4(norm(0u), given(0u), 0.0, largest(0u));
    vec4 start = vec4(arg.relative * arg.relative * sums.y, arg.absolute, sums.y, 0.0);
    set_limits(0u, start);
    set_weight(0u, next_weight(0u));
    set_beta(0u, 0.0);
    decide(0u, sums, start, vec2(0.0));
}
