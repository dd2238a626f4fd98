// Snow that slides between neighbours. Include after stage.glsl in a stage over the ground that defines slides_between.
#include "lib/random.glsl"
#include "snow/surface.glsl"

#pragma reads ground.elevation ground.snow
#pragma writes ground.snow_next
#pragma arguments snow.retained snow.mobility
#pragma reach ground_elevation 1
#pragma reach ground_snow 1

const uint PURPOSE_TURN = 6u;

// Snow, in whole units, that slides in this step from one vertex to a neighbour `apart` metres away. Both
// ends call this with equal values and so agree on one integer: the total is conserved exactly.
//     s = min(snow - m, dh - tan(repose) d) > 0 moves k s
// m is the retained depth (bare rock may be steeper than snow), k is arg.mobility: at most 1/8 for 8 neighbours, so that
// no vertex gives more than it has. `turn` marks the one direction in which, this step, at least one unit moves
// where k s rounds to none although the slope is too steep: else the last few units above m would hang on
// cliffs.
uint sliding(float from_surface, uint from_snow, float to_surface, float apart, bool turn) {
    uint retained = uint(arg.retained / arg.snow_unit + 0.5);
    if (from_snow <= retained) {
        return 0u;
    }
    float spare = float(min(from_snow - retained, 1u << 24u));  // whole numbers up to here are exact
    float excess = (from_surface - to_surface - arg.tan_repose * apart) / arg.snow_unit;
    float s = min(spare, excess);
    float moved = s > 0.0 ? floor(arg.mobility * s) : 0.0;
    if (turn && moved == 0.0 && arg.mobility * excess >= 1.0) {
        moved = 1.0;
    }
    return uint(moved);
}

// Smoothing as a gather: a vertex sums the flows from and to its 8 neighbours where bool slides_between(ivec2, ivec2) is true.
// Reads `snow`, writes `snow_next`.
void stage(ivec2 vertex) {
    uint snow = ground_snow(vertex);
    float surface = vertex_surface(vertex);
    uint turn = pcg4d(uvec4(clock.step, 0u, PURPOSE_TURN, clock.seed)).x & 7u;
    int turn_direction = int(turn < 4u ? turn : turn + 1u);  // 0 .. 8 without 4, the centre
    uint gained = 0u, given = 0u;
    for (int n = 0; n < 9; n++) {
        ivec2 offset = ivec2(n % 3 - 1, n / 3 - 1);
        ivec2 other = vertex + offset;
        bool on_terrain = all(greaterThanEqual(other, ivec2(0))) && all(lessThan(other, ground_vertices));
        if (n == 4 || !on_terrain || !slides_between(vertex, other)) {
            continue;
        }
        vec2 step = vec2(offset) * ground_spacing;
        float apart = sqrt(step.x * step.x + step.y * step.y);
        uint other_snow = ground_snow(other);
        float other_surface = vertex_surface(other);
        bool down = surface > other_surface;
        uint moved = sliding(max(surface, other_surface), down ? snow : other_snow, min(surface, other_surface), apart,
                (down ? n : 8 - n) == turn_direction);
        given += down ? moved : 0u;
        gained += down ? 0u : moved;
    }
    set_ground_snow_next(vertex, snow + gained - given);
}
