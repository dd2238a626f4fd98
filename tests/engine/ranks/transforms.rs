//! Fourier transforms on ranks: lines along an axis that is cut are exchanged, so that each rank has whole ones.

use sastrugi::run::Spoil;
use serde_json::json;

use super::controls::assert_changed;
use super::*;

/// Transforms of complex and of real numbers, of arrays and of several components, in place and into other fields, between stages
/// that read neighbours.
fn transforms(cells: [u64; 3]) -> Pipeline {
    let [x, y, z] = cells;
    let file = json!({
        "run": {"dt": 1, "steps_per_frame": 2},
        "grids": {
            "g": {"cells": cells, "cell_size": 1, "channels": {
                "a": {"type": "float", "border": "repeat", "values": "sin(3 * i + 0.5)"}, "b": "float", "e": {"type": "float", "background": 0}, "o": "float",
                "c": {"type": "vec4", "background": 0.5},
                "d": {"type": "hvec2", "count": 2, "background": 0}}},
            "w": {"cells": [x / 2 + 1, y, z], "cell_size": 1, "channels": {"a": {"type": "vec2", "background": 0}, "b": {"type": "vec2", "background": 0}, "s": "vec2", "t": "vec2"}}},
        "step": [
            {"stage": "near", "over": "g", "reads": ["g.a", "g.c", "g.e"], "writes": ["g.b", "g.c", "g.d"]},
            {"set": "w.a", "to": "fft(g.b)"},
            {"set": "g.c", "to": "fft(g.c)"},
            {"set": "g.d", "to": "fft(g.d, y, z)"},
            {"stage": "damp", "over": "w", "reads": ["w.a"], "writes": ["w.a", "w.b"]},
            {"set": "g.o", "to": "inverse_fft(w.b)"},
            {"set": "g.a", "to": "inverse_fft(w.a)"},
            {"set": "g.c", "to": "inverse_fft(g.c)"},
            {"set": "g.e", "to": "cosine(g.o)"},
            {"set": "g.e", "to": "sides(g.e, [0, 2, 1], [1, 2, 0])"},
            {"set": "g.e", "to": "inverse_sides(g.e, [0, 2, 1], [1, 2, 0])"},
            {"set": "g.e", "to": "inverse_cosine(g.e)"}
        ],
        "frame": [{"set": "w.s", "to": "fft(g.e)"}, {"stage": "look", "over": "w", "reads": ["w.s"], "writes": ["w.t"]}]
    });
    pipeline(&file, BODIES)
}

const BODIES: &[(&str, &str)] = &[
    (
        "near",
        "#pragma reach g_a 2\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
         float next = 0.4 * g_a(i) + 0.3 * (g_a(i + ivec3(0, 1, 2)) + g_a(i - ivec3(1, 2, 0))) + 0.1 * g_e(i);
         set_g_b(i, next);
         set_g_c(i, 0.9 * g_c(i) + 0.1 * vec4(next, -next, 0.5 * next, sin(next)));
         set_g_d(i, 0u, vec2(next, 0.5)); set_g_d(i, 1u, g_c(i).xz); }",
    ),
    (
        "damp",
        "void stage(ivec3 i) {
         vec2 value = w_a(i) * (0.5 + 0.01 * float(i.x - 2 * i.y + 3 * i.z));
         set_w_a(i, 0.9 * value); set_w_b(i, vec2(-value.y, value.x)); }",
    ),
    (
        "look",
        "void stage(ivec3 i) { set_w_t(i, w_s(i) + vec2(float(i.z), 1.0)); }",
    ),
];

#[test]
fn transforms_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 1, 2], [1, 2, 1], [1, 1, 3], [1, 2, 2]];
    assert_equal(&gpu, &transforms([6, 10, 9]), &cuts, &Setting::steps(3));
}

#[test]
fn control_transforms_without_exchanges_have_other_bits() {
    assert_changed(&transforms([6, 10, 9]), Spoil::Drop, [1, 1, 2]);
}
