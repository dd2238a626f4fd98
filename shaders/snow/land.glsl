// Include after stage.glsl in a stage that writes ground.fresh.

#pragma adds ground_fresh

// Adds snow that landed at a place to `fresh`: 4, 2 and 1 of 16 parts over the 3x3 vertices about the nearest one,
// in whole units, the remainder to the centre. Shares that would fall off the terrain go to the border vertex
// instead, so exactly `units` are added.
void land(vec2 world, uint units) {
    ivec2 last = ground_vertices - 1;
    ivec2 centre = ivec2(clamp(ground_coordinates(world) + 0.5, vec2(0.0), vec2(last)));
    uint corner = units / 16u, edge = units / 8u;
    for (int n = 0; n < 9; n++) {
        ivec2 offset = ivec2(n % 3 - 1, n / 3 - 1);
        int steps = abs(offset.x) + abs(offset.y);
        uint share = steps == 0 ? units - 4u * (corner + edge) : (steps == 1 ? edge : corner);
        add_ground_fresh(clamp(centre + offset, ivec2(0), last), share);
    }
}
