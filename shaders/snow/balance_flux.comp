#version 460
#define OWN_MAIN
#include "stage.glsl"
#define REDUCE_TYPE vec2
#include "lib/reduce.glsl"

// A flow without sources needs as much air out as in: a pure Neumann problem has no solution otherwise. The
// net outward flux of the prescribed wind is spread over the outflow faces: flux = (net, outflow faces,
// correction of the outward velocity on each of them, 0). Without outflow faces there is nothing to correct:
// that is calm air, or terrain that walls off every downwind side.
//
// One workgroup; each invocation first sums its stride in order, so the result has one fixed order of
// additions.
void main() {
    stage_begin();
    uint lane = gl_LocalInvocationID.x;
    vec2 sum = vec2(0.0);
    for (uint i = lane; i < flux_partial_length; i += gl_WorkGroupSize.x) {
        sum += flux_partial(i);
    }
    sum = reduce_sum(sum);
    if (lane == 0u) {
        float correction = sum.y > 0.0 ? -sum.x / sum.y : 0.0;
        set_flux(0u, vec4(sum, correction, 0.0));
    }
}
