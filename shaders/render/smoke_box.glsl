// The smoke and the body in the box of a grid: intersections of rays with the box, density and light at a position, and
// transmittance towards the sun. The stage reads grid.density and, if there is a body, body.shape, which is 1 inside it
// and 0 outside, smoothed. The body moves.
#include "flow/motion.glsl"

#pragma reach grid_density anywhere
#pragma reach body_shape anywhere

// The part of a ray inside the box, m: x the start, y the end; empty if x > y.
vec2 box_span(vec3 eye, vec3 ray) {
    vec3 low = (grid_origin - eye) / ray, high = (grid_origin + vec3(grid_cells) * grid_dx - eye) / ray;
    vec3 enter = min(low, high), leave = max(low, high);
    return vec2(max(max(enter.x, enter.y), max(enter.z, 0.0)), min(leave.x, min(leave.y, leave.z)));
}

#if HAS_body_shape
float shape_at(vec3 place) {
    return sample_body_shape(on_body(place, clock.time));
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
    float before = 0.0;
    for (float t = start; t < end; t += body_dx) {
        float here = shape_at(eye + t * ray);
        if (here > 0.5) {
            return t - body_dx * (here - 0.5) / max(here - before, 1e-3);
        }
        before = here;
    }
    return end;
}
#else
float shape_at(vec3 place) {
    return 0.0;
}

float body_hit(vec3 eye, vec3 ray, float start, float end) {
    return end;
}
#endif

// The share of sunlight that gets through smoke and past the body, from a place towards the sun.
float sun_passed(vec3 place, vec3 sun, float extinction, float pace) {
    vec2 span = box_span(place, sun);
    float thick = 0.0, body = 0.0;
    for (float t = span.x + 0.5 * pace; t < span.y && thick < 8.0; t += pace) {
        vec3 at = place + t * sun;
        thick += pace * extinction * sample_grid_density(at);
        body = max(body, shape_at(at));
    }
    return exp(-thick) * (1.0 - smoothstep(0.3, 0.6, body));
}
