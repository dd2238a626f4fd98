//! Fourier transforms on ranks: lines along an axis that is cut are exchanged, so that each rank has whole ones.

use sastrugi::ir::{Division, Uncut};
use sastrugi::run::Spoil;
use serde_json::json;

use super::controls::assert_changed;
use super::shipped::load;
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

/// Transforms in place of complex numbers along all axes, which may be long, between stages that read neighbours.
fn complex(cells: [u64; 3]) -> Pipeline {
    complex_with(cells, json!({}))
}

/// Fields that transforms leave in lines, in files of which each rank writes its part, and in checkpoints.
pub(super) fn written(frames: u64) -> Pipeline {
    let outputs = json!({"p": {"source": "g.p", "format": "npy"}, "q": {"source": "g.q", "format": "npy"},
        "sums": {"values": {"sum": "sum(g.p.x)", "most": "max(g.q.y)"}, "format": "csv"}});
    let run = json!({"dt": 1, "steps_per_frame": 2, "frames": frames, "checkpoint_every": 1});
    complex_with([6, 10, 9], json!({"outputs": outputs, "run": run}))
}

fn complex_with(cells: [u64; 3], more: serde_json::Value) -> Pipeline {
    let mut file = json!({
        "run": {"dt": 1, "steps_per_frame": 2},
        "grids": {"g": {"cells": cells, "cell_size": 1, "channels": {
            "p": {"type": "vec2", "border": "repeat", "background": 0}, "q": {"type": "vec2", "background": 0}}}},
        "step": [
            {"stage": "shift", "over": "g", "reads": ["g.p"], "writes": ["g.q"]},
            {"set": "g.q", "to": "fft(g.q)"},
            {"stage": "damp", "over": "g", "reads": ["g.q"], "writes": ["g.q"]},
            {"set": "g.p", "to": "inverse_fft(g.q)"}
        ]
    });
    for (key, value) in more.as_object().unwrap() {
        file[key] = value.clone();
    }
    let damp = "void stage(ivec3 i) { set_g_q(i, g_q(i) * (0.5 + 0.01 * float(i.x - 2 * i.y + 3 * i.z))); }";
    let shift = "#pragma reach g_p 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
        vec2 near = g_p(i + ivec3(1, 0, 1)) - g_p(i - ivec3(0, 1, 0));
        set_g_q(i, 0.5 * g_p(i) + 0.3 * near.yx + sin(vec2(3 * i.x + 5 * i.y, 7 * i.z))); }";
    pipeline(&file, &[("shift", shift), ("damp", damp)])
}

/// Boxes with lines of one and two passes, and of convolutions in one and three passes.
const BOXES: [[u64; 3]; 5] = [[6, 10, 9], [3, 2, 4800], [4, 17, 6], [2, 3, 2053], [9, 7, 1]];

#[test]
fn transforms_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 1, 2], [1, 2, 1], [1, 1, 3], [1, 2, 2], [1, 4, 1], [1, 2, 3]];
    let mut sweep = common::sweep(3, cuts.len());
    let all = transforms([6, 10, 9]);
    for parts in cuts {
        if !sweep.skips() {
            assert_equal(&gpu, &all, &[parts], &Setting::steps(3));
        }
    }
}

#[test]
fn long_and_odd_lines_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 1, 2], [2, 1, 1], [1, 2, 1], [2, 2, 1], [1, 1, 3], [2, 1, 2]];
    let is_long = |cells: &[u64; 3]| cells[2] > 1000;
    let fits = |cells: &[u64; 3], parts: &[usize; 3]| {
        let is_thick = (0..3).all(|axis| cells[axis] >= parts[axis] as u64);
        // Lines along z of other parts must be enough for all ranks.
        is_thick && (!is_long(cells) || parts[2] <= 2)
    };
    let cases: Vec<_> = (BOXES.iter())
        .flat_map(|cells| cuts.iter().map(move |parts| (cells, parts)))
        .filter(|(cells, parts)| fits(cells, parts))
        .collect();
    let mut sweep = common::sweep(6, cases.len());
    for (cells, parts) in &cases {
        if !sweep.skips() {
            assert_equal(&gpu, &complex(**cells), &[**parts], &Setting::steps(2));
        }
    }
}

#[test]
fn control_transforms_without_exchanges_have_other_bits() {
    assert_changed(&transforms([6, 10, 9]), Spoil::Drop, [1, 1, 2]);
}

#[test]
fn control_lines_one_value_short_change_the_hash() {
    assert_changed(&complex([6, 10, 9]), Spoil::ShortLines, [1, 1, 2]);
}

fn cut(pipeline: &Pipeline, parts: [usize; 3]) -> Result<Pipeline, Vec<Uncut>> {
    let mut pipeline = pipeline.clone();
    let request = CutRequest {
        parts: Some(parts),
        whole: Whole::None,
    };
    pipeline.cut(&request, 0, parts.iter().product())?;
    Ok(pipeline)
}

#[test]
fn all_passes_of_transforms_run_on_parts() {
    for (pipeline, parts) in [
        (transforms([6, 10, 9]), [1, 2, 2]),
        (complex([3, 2, 4800]), [1, 1, 2]),
    ] {
        let pipeline = cut(&pipeline, parts).unwrap();
        let shares = &pipeline.cut.as_deref().unwrap().shares;
        for (stage, share) in pipeline.stages.iter().zip(shares) {
            assert!(matches!(share, Share::Part { .. }), "{}", stage.name);
        }
    }
}

#[test]
fn stages_between_transforms_run_on_lines() {
    let lined = |pipeline: &Pipeline, parts, names: &[&str]| {
        let pipeline = cut(pipeline, parts).unwrap();
        let found = |name: &&str| pipeline.stages.iter().position(|stage| stage.name == *name);
        let cut = pipeline.cut.as_deref().unwrap();
        let division = |name| cut.division_of_stage(found(name).unwrap());
        names.iter().map(division).collect::<Vec<_>>()
    };
    // The forward transform ends along z, the inverse one begins along x.
    let names = ["shift", "damp"];
    let (cells, along) = (Division::Cells, Division::Lines);
    assert_eq!(lined(&complex([6, 10, 9]), [1, 1, 2], &names), [cells, cells]);
    assert_eq!(lined(&complex([6, 10, 9]), [2, 1, 1], &names), [cells, cells]);
    let (name, settings, _) = FLOWS[0];
    let names = ["curl", "cross", "advance_waves"];
    let turbulence = load(name, settings);
    assert_eq!(lined(&turbulence, [1, 1, 2], &names), [along(2), cells, along(2)]);
    assert_eq!(lined(&turbulence, [1, 2, 1], &names), [cells, cells, cells]);
}

#[test]
fn cuts_that_no_transform_crosses_are_preferred() {
    let parts_of = |to: &str| {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": [16, 16, 16], "cell_size": 1, "channels": {"p": {"type": "vec2", "background": 0}}}},
            "step": [{"set": "g.p", "to": to}, {"stage": "keep", "over": "g", "reads": ["g.p"], "writes": ["g.p"]}]
        });
        let body = "void stage(ivec3 i) { set_g_p(i, 0.5 * g_p(i)); }";
        let mut pipeline = pipeline(&file, &[("keep", body)]);
        pipeline.cut(&CutRequest::default(), 0, 4).unwrap();
        pipeline.cut.unwrap().partition.parts
    };
    assert_eq!(parts_of("fft(g.p)"), [1, 1, 4]);
    assert_eq!(parts_of("fft(g.p, z)"), [1, 4, 1]);
    assert_eq!(parts_of("fft(g.p, y, z)"), [4, 1, 1]);
}

#[test]
fn spectra_halved_along_a_cut_axis_and_short_lines_are_refused_by_name() {
    let messages = |pipeline: &Pipeline, parts| {
        let uncut = cut(pipeline, parts).unwrap_err();
        let text = uncut
            .iter()
            .map(|uncut| format!("{} {:?}", uncut.message, uncut.help));
        text.collect::<Vec<_>>().join("\n")
    };
    let found = messages(&transforms([64, 48, 48]), [2, 1, 1]);
    for wanted in [
        "`fft_x_w_a` cannot be cut into parts: it uses `w`, which has half of the waves along x",
        "`damp` cannot be cut into parts: it uses `w`",
        "cut along other axes",
    ] {
        assert!(found.contains(wanted), "{found}");
    }
    let found = messages(&complex([3, 2, 4800]), [1, 1, 4]);
    let wanted = "it transforms lines along z, and `g` is too small to give each rank some";
    assert!(found.contains(wanted), "{found}");
}

#[test]
fn ranks_hold_their_parts_and_lines() {
    let pipeline = complex([256, 64, 16]);
    let held = |parts: [usize; 3]| {
        let cut = cut(&pipeline, parts).unwrap();
        let ranges = cut.held_bytes(cut.field("g.q").unwrap()).unwrap();
        assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
        ranges.iter().map(|range| range.end - range.start).sum::<u64>()
    };
    // A quarter of four slabs, and a quarter of the lines along z. Of rods along x, a quarter; 16 of 64 rows with all planes, and 4
    // of 16 planes with all rows.
    let all = 8 * 256 * 64 * 16;
    assert_eq!(held([1, 1, 4]), all / 4 + all / 4 - all / 16);
    assert_eq!(
        held([1, 2, 2]),
        all / 4 + all * 16 * 8 / (64 * 16) + all * 4 * 32 / (64 * 16)
    );
    let Some(gpu) = common::gpu() else { return };
    assert_equal(&gpu, &pipeline, &[[1, 1, 2]], &Setting::steps(1));
}

/// Shipped flows in Fourier space without pictures: settings that make them small, and cuts.
type Flow = (&'static str, &'static [&'static str], &'static [[usize; 3]]);

const FLOWS: &[Flow] = &[
    (
        "turbulence",
        &["n=12", "grids.view.pixels=[8, 8]"],
        &[[1, 1, 2], [1, 2, 1], [1, 1, 3], [1, 2, 2], [1, 4, 1]],
    ),
    (
        "fluids_3d",
        &["n=12", "frame=[]", "outputs.view=null"],
        &[[1, 1, 2], [1, 2, 1], [2, 1, 1], [1, 3, 1], [2, 1, 2]],
    ),
];

#[test]
fn flows_in_fourier_space_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    for (name, settings, cuts) in FLOWS {
        let flow = load(name, settings);
        let mut sweep = common::sweep(2, cuts.len());
        for parts in *cuts {
            if !sweep.skips() {
                assert_equal(&gpu, &flow, &[*parts], &Setting::steps(2));
            }
        }
    }
}

#[test]
fn control_turbulence_without_exchanges_has_other_bits() {
    let (name, settings, _) = FLOWS[0];
    assert_changed(&load(name, settings), Spoil::Drop, [1, 1, 2]);
}

/// A stirred square with dots, which cross borders between three sorts. Four parts with their halos do not cover it.
fn stirred() -> Pipeline {
    let settings = [
        "n=192",
        "sort_every=2",
        "sort_block=8",
        "stir.push=2000",
        "frame=[]",
        "outputs.view=null",
    ];
    load("fluids", &settings)
}

/// Dots without ghosts with a cut along y, else whole on every rank.
#[test]
fn dots_in_a_stirred_square_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 2, 1], [2, 1, 1], [1, 3, 1], [1, 4, 1], [2, 2, 1], [1, 8, 1]];
    let mut sweep = common::sweep(2, cuts.len());
    for parts in cuts {
        if !sweep.skips() {
            assert_equal(&gpu, &stirred(), &[parts], &Setting::steps(7));
        }
    }
}

#[test]
fn control_dots_without_exchanges_have_other_bits() {
    assert_changed(&stirred(), Spoil::Drop, [1, 2, 1]);
}

/// Dots are divided if their sort keeps them together, and stay whole otherwise.
#[test]
fn dots_are_cut_along_y() {
    let sets = |parts: Option<[usize; 3]>| {
        let mut pipeline = stirred();
        let whole = Whole::None;
        pipeline.cut(&CutRequest { parts, whole }, 0, 2).unwrap();
        let cut = pipeline.cut.unwrap();
        (cut.partition.parts, cut.sets.len())
    };
    assert_eq!(sets(None), ([1, 2, 1], 1));
    assert_eq!(sets(Some([2, 1, 1])), ([2, 1, 1], 0));
}
