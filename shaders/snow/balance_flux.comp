#version 460
#define OWN_MAIN
#include "stage.glsl"
#define REDUCE_TYPE uvec4
#include "lib/reduce.glsl"

// A flow without sources needs as much air out as in: a pure Neumann problem has no solution otherwise. The
// net outward flux of the prescribed wind (h^2 m/s) is spread over the outflow faces: flux = (net, outflow
// faces, correction of the outward velocity on each of them, 0). Without outflow faces there is nothing to
// correct: that is calm air, or terrain that walls off every downwind side.
//
// One workgroup. Faces are counted, not their fluxes added, so no order of additions matters.
void main() {
    stage_begin();
    uint lane = gl_LocalInvocationID.x;
    uvec4 open = uvec4(0u);  // by outward normal: -x +x -y +y
    for (uint i = lane; i < active_blocks(0u); i += gl_WorkGroupSize.x) {
        open += boundary_block(i);
    }
    open = reduce_sum(open);
    if (lane == 0u) {
        vec4 faces = vec4(open);
        vec3 speed = wind(0u);
        float net = (faces.y - faces.x) * speed.x + (faces.w - faces.z) * speed.y;
        float out_x = speed.x > 0.0 ? faces.y : (speed.x < 0.0 ? faces.x : 0.0);
        float out_y = speed.y > 0.0 ? faces.w : (speed.y < 0.0 ? faces.z : 0.0);
        float outflow = out_x + out_y;
        set_flux(0u, vec4(net, outflow, outflow > 0.0 ? -net / outflow : 0.0, 0.0));
    }
}
