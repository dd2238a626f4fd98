// Requests the blocks that a particle will need, which have a cell within arg.reach cells of its own. It writes to the
// cells next to its own. With updates every k-th step that take effect `latency` updates later, a block must be active
// for the steps up to (latency + 1) k - 1 after the position of the request, so
//     reach = 1 + ceil(((latency + 1) k - 1) limit dt / dx)
#include "lib/request.glsl"

DEFINE_REQUEST_AROUND(request_about, nodes_block, request_nodes_block)

void request_for(vec3 position) {
    request_about(ivec3(floor(nodes_coordinates(position))), arg.reach);
}
