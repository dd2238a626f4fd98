// The smoke and the body in the box of a grid: intersections of rays with the box, blocks without smoke, the body, and
// transmittance towards the sun. The stage reads grid.density, blocks.occupied and, if there is a body, body.shape, which is
// 1 inside it and 0 outside, smoothed. The body moves.
#include "flow/motion.glsl"
#include "render/smoke_blocks.glsl"

#pragma reach grid_density anywhere
#pragma reach blocks_occupied anywhere
#pragma reach body_shape anywhere

// The part of a ray inside a box, m: x the start, y the end; empty if x > y.
vec2 span_in(vec3 low, vec3 sides, vec3 eye, vec3 ray) {
    vec3 one = (low - eye) / ray, other = (low + sides - eye) / ray;
    vec3 enter = min(one, other), leave = max(one, other);
    return vec2(max(max(enter.x, enter.y), max(enter.z, 0.0)), min(leave.x, min(leave.y, leave.z)));
}

vec2 box_span(vec3 eye, vec3 ray) {
    return span_in(grid_origin, vec3(grid_cells) * grid_dx, eye, ray);
}

// Number of steps of a ray to the end of a block without smoke; 0 in a block with smoke.
int empty_steps(vec3 place, vec3 ray, float pace) {
    vec3 at = (place - grid_origin) / grid_dx;
    ivec3 block = clamp(ivec3(floor(at)), ivec3(0), grid_cells - 1) / BLOCK;
    if (blocks_occupied(block) != 0u) {
        return 0;
    }
    vec3 ahead = vec3(BLOCK * block) + float(BLOCK) * vec3(greaterThan(ray, vec3(0.0)));
    vec3 runs = mix(vec3(1.0 / 0.0), (ahead - at) * grid_dx / ray, notEqual(ray, vec3(0.0)));
    return max(int(ceil(min(min(runs.x, runs.y), runs.z) / pace)), 1);
}

#if HAS_body_shape
float shape_at(vec3 place) {
    return sample_body_shape(on_body(place, clock.time));
}

// The part of a ray inside the grid of the body; outside, the shape is 0.
vec2 body_span(vec3 eye, vec3 ray) {
    vec3 from = on_body(eye, clock.time), along = on_body(eye + ray, clock.time) - from;
    return span_in(body_origin, vec3(body_cells) * body_dx, from, along);
}

vec3 shape_normal(vec3 place) {
    float h = 1.5 * body_dx;
    vec3 slope = vec3(shape_at(place + vec3(h, 0.0, 0.0)) - shape_at(place - vec3(h, 0.0, 0.0)),
                      shape_at(place + vec3(0.0, h, 0.0)) - shape_at(place - vec3(0.0, h, 0.0)),
                      shape_at(place + vec3(0.0, 0.0, h)) - shape_at(place - vec3(0.0, 0.0, h)));
    return -normalize(slope + vec3(0.0, 0.0, -1e-6));
}

// The first place at which a ray enters the body, m along it, or `end`.
float body_hit(vec3 eye, vec3 ray, float start, float end) {
    vec2 span = body_span(eye, ray);
    float before = 0.0, last = min(end, span.y);
    for (float t = max(start, span.x); t < last; t += body_dx) {
        float here = shape_at(eye + t * ray);
        if (here > 0.5) {
            return t - body_dx * (here - 0.5) / max(here - before, 1e-3);
        }
        before = here;
    }
    return end;
}

// The greatest shape along a ray.
float most_shape(vec3 eye, vec3 ray, float end, float pace) {
    vec2 span = body_span(eye, ray);
    float most = 0.0, last = min(end, span.y);
    for (float t = span.x + 0.5 * pace; t < last && most < 0.6; t += pace) {
        most = max(most, shape_at(eye + t * ray));
    }
    return most;
}
#else
float body_hit(vec3 eye, vec3 ray, float start, float end) {
    return end;
}

float most_shape(vec3 eye, vec3 ray, float end, float pace) {
    return 0.0;
}
#endif

// The share of sunlight that gets through smoke and past the body, from a place towards the sun.
float sun_passed(vec3 place, vec3 sun, float extinction, float pace) {
    vec2 span = box_span(place, sun);
    float thick = 0.0, start = span.x + 0.5 * pace;
    int steps = int(ceil(clamp((span.y - start) / pace, 0.0, 1e6)));
    for (int k = 0; k < steps && thick < 8.0;) {
        vec3 at = place + (start + float(k) * pace) * sun;
        int empty = empty_steps(at, sun, pace);
        if (empty == 0) {
            thick += pace * extinction * sample_grid_density(at);
        }
        k += max(empty, 1);
    }
    float body = span.x < span.y && thick < 8.0 ? most_shape(place, sun, span.y, pace) : 0.0;
    return exp(-thick) * (1.0 - smoothstep(0.3, 0.6, body));
}
