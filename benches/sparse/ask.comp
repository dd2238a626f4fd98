#version 460
#include "stage.glsl"

// Requests the blocks that intersect a spherical shell. Its centre moves along a diagonal.
void stage(ivec3 block) {
    float way = arg.speed * float(clock.step);
    vec3 centre = vec3(space_cells) * 0.25 + way * vec3(0.75, 0.5, 0.433);
    vec3 low = vec3(block * space_block_cells), high = low + vec3(space_block_cells);
    float nearest = distance(clamp(centre, low, high), centre);
    float farthest = length(max(abs(low - centre), abs(high - centre)));
    if (nearest <= arg.radius + arg.thickness && farthest >= arg.radius) {
        request_space_block(block);
    }
}
