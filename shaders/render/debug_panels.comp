#version 460
#extension GL_EXT_control_flow_attributes : require
// Three columns: wind, pressure, obstacles. Above, a level slice at the height arg.level (m), north up; below, an
// upright slice through arg.north (m), east to the right. Hills are dark grey; a thin line in each slice shows where
// the other one cuts. Wind: speed as colour (viridis to arg.wind_scale, m/s), direction by line-integral convolution
// (Cabral & Leedom 1993). Pressure: blue low, red high, +-arg.pressure_scale (m^2/s^2, density 1).
// Obstacles: solid cells white; of the others, brightness counts the closed lower faces.
#include "stage.glsl"
#include "lib/lattice.glsl"
#include "render/noise.glsl"
#include "render/colormaps.glsl"
#include "snow/faces.glsl"

#pragma reads air.u air.v air.w air.pressure air.faces
#pragma writes panels.color
#pragma arguments debug

const int MARGIN = 8;  // pixels
const vec3 PAPER = vec3(0.07, 0.08, 0.10);

DEFINE_TRILINEAR(face_u, air_u, air_cells)
DEFINE_TRILINEAR(face_v, air_v, air_cells)
DEFINE_TRILINEAR(face_w, air_w, air_cells)

// Wind at a point in cell units: faces are half a cell before the centres along their own axis.
vec3 wind_at(vec3 at) {
    return vec3(face_u(at - vec3(0.0, 0.5, 0.5)), face_v(at - vec3(0.5, 0.0, 0.5)), face_w(at - vec3(0.5, 0.5, 0.0)));
}

// A slice as a rectangle of pixels: the world point (cell units) of its lower left corner and one pixel's step.
struct Slice {
    ivec2 corner;  // upper left, pixels
    ivec2 size;    // pixels
    vec3 origin;
    vec3 right;
    vec3 up;
};

vec3 slice_point(Slice s, vec2 pixel) {
    vec2 p = pixel - vec2(s.corner);
    return s.origin + p.x * s.right + (float(s.size.y) - p.y) * s.up;
}

// Noise carried along the streamline through `pixel`, both ways: streaks along the wind within the slice.
float streaks(Slice s, vec2 pixel) {
    float sum = 0.0;
    float pixels_per_cell = 1.0 / max(length(s.right), 1e-6);
    [[dont_unroll]] for (int way = -1; way <= 1; way += 2) {
        vec2 p = pixel;
        [[dont_unroll]] for (int k = 0; k < 14; ++k) {
            vec3 wind = wind_at(slice_point(s, p));
            vec2 along = vec2(dot(wind, s.right), -dot(wind, s.up)) * pixels_per_cell;
            p += float(way) * along / max(length(along), 1e-3);
            sum += hash_unit(ivec2(floor(0.7 * p)), 17u);
        }
    }
    return smoothstep(0.32, 0.68, sum / 28.0);
}

vec3 slice_color(Slice s, int column, vec2 pixel) {
    vec3 at = slice_point(s, pixel);
    ivec3 cell = clamp(ivec3(floor(at)), ivec3(0), air_cells - 1);
    uint faces = air_faces(cell);
    if (column == 2) {
        float closed = float(bitCount(faces & (CLOSED_U | CLOSED_V | CLOSED_W))) / 3.0;
        return (faces & SOLID) != 0u ? vec3(0.92) : mix(vec3(0.10, 0.14, 0.24), vec3(0.95, 0.55, 0.15), closed);
    }
    if ((faces & SOLID) != 0u) {
        return vec3(0.22);
    }
    if (column == 1) {
        return diverging(air_pressure(cell) / arg.pressure_scale);
    }
    return viridis(length(wind_at(at)) / arg.wind_scale) * mix(0.55, 1.25, streaks(s, pixel));
}

void stage(ivec2 pixel) {
    // Square cells: the width of a column sets the scale.
    int wide = (panels_size.x - 4 * MARGIN) / 3;
    float step_cells = float(air_cells.x) / float(wide);
    ivec2 plan = ivec2(wide, int(float(air_cells.y) / step_cells));
    ivec2 section = ivec2(wide, int(float(air_cells.z) / step_cells));
    int column = min((pixel.x - MARGIN / 2) / (wide + MARGIN), 2);
    int left = MARGIN + column * (wide + MARGIN);
    vec3 cut = air_coordinates(vec3(0.0, arg.north, arg.level));
    vec3 right = vec3(step_cells, 0.0, 0.0);
    Slice level = Slice(ivec2(left, MARGIN), plan, vec3(0.0, 0.0, cut.z), right, vec3(0.0, step_cells, 0.0));
    Slice upright = Slice(ivec2(left, 2 * MARGIN + plan.y), section, vec3(0.0, cut.y, 0.0), right,
                          vec3(0.0, 0.0, step_cells));
    bool below = pixel.y >= upright.corner.y;
    Slice s = below ? upright : level;
    ivec2 inside = pixel - s.corner;
    vec3 color = PAPER;
    if (all(greaterThanEqual(inside, ivec2(0))) && all(lessThan(inside, s.size))) {
        color = slice_color(s, column, vec2(pixel) + 0.5);
        float other = below ? cut.z : cut.y;
        float height = (float(s.size.y - inside.y) - 0.5) * step_cells;
        color = abs(height - other) < 0.5 * step_cells ? mix(color, vec3(1.0), 0.6) : color;
    }
    set_panels_color(pixel, vec4(clamp(color, 0.0, 1.0), 1.0));
}
