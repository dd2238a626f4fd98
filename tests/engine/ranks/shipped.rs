//! Shipped pipelines on ranks: those that can be cut have the bits of one rank; others are refused by name.

use std::fmt::Write;
use std::path::Path;

use sastrugi::ir::Uncut;
use sastrugi::run::Spoil;
use sastrugi::spec;

use super::controls::assert_changed;
use super::*;

const SMALL_PICTURE: &str = "grids.view.pixels=[72, 54]";

/// Pipelines whose steps run in parts, with what makes them small.
const CUT: &[(&str, &[&str])] = &[
    ("lbm_cavity", &["n=12", SMALL_PICTURE]),
    ("lbm_karman", &["n=20", "length=0.82", SMALL_PICTURE]),
    ("lbm_convection", &["n=12", SMALL_PICTURE]),
    (
        "lbm_bunny",
        &[
            "n=8",
            "bunny.cells=24",
            "draw.surface.level=1",
            "draw.surface.samples=1",
            SMALL_PICTURE,
        ],
    ),
    ("lbm_dam", &["n=8", "draw.surface.samples=1", SMALL_PICTURE]),
    (
        "lbm_propeller",
        &[
            "n=10",
            "body.cells=24",
            "draw.surface.level=1",
            "draw.surface.samples=1",
            SMALL_PICTURE,
        ],
    ),
    (
        "lbm_lines",
        &[
            "n=8",
            "seeds.spacing=0.2",
            "flow.pieces=12",
            "ball.surface.samples=1",
            SMALL_PICTURE,
        ],
    ),
];

/// Pipelines whose steps run over no grid of cells or height field: docs/ranks.md names them.
const REFUSED: &[&str] = &[
    "nbody",
    "pictures",
    "pictures_points",
    "pictures_volume",
    "saltation",
];

pub(super) fn load(name: &str, settings: &[&str]) -> Pipeline {
    let path = root().join(format!("pipelines/{name}.json"));
    let settings: Vec<String> = settings.iter().map(|text| text.to_string()).collect();
    spec::load(&path, &settings)
        .unwrap_or_else(|problems| panic!("{problems}"))
        .0
}

#[test]
fn shipped_pipelines_in_a_plane_have_the_bits_of_one_rank() {
    compare(&CUT[..3]);
}

#[test]
#[ignore = "long: kernels that draw in space take long to compile"]
fn shipped_pipelines_in_space_have_the_bits_of_one_rank() {
    compare(&CUT[3..]);
}

/// Two and three ranks have the hash of one.
fn compare(pipelines: &[(&str, &[&str])]) {
    let Some(gpu) = common::gpu() else { return };
    let mut cuts = common::sweep(1, 2 * pipelines.len());
    for (name, settings) in pipelines {
        let pipeline = load(name, settings);
        let setting = Setting::steps(4);
        for count in [2, 3] {
            if cuts.skips() {
                continue;
            }
            let alone = hash_alone(&gpu, &pipeline, &setting);
            let mut cut = pipeline.clone();
            cut.cut(&CutRequest::default(), 0, count)
                .unwrap_or_else(|uncut| panic!("{name}: {uncut:?}"));
            let parts = cut.cut.unwrap().partition.parts;
            let found = hash_on(&gpu, &pipeline, parts, &setting);
            assert_eq!(found, alone, "{name}: {parts:?}");
        }
    }
}

/// The cut for four ranks, and those along an axis into two parts that are refused, with the first reason.
fn others(pipeline: &Pipeline) -> String {
    let cut = |parts: Option<[usize; 3]>, ranks: usize| {
        let mut pipeline = pipeline.clone();
        let whole = Whole::None;
        let notices = pipeline.cut(&CutRequest { parts, whole }, 0, ranks);
        notices
            .map(|_| pipeline.cut.unwrap().partition.parts)
            .map_err(|uncut| uncut[0].message.clone())
    };
    let mut text = match cut(None, 4) {
        Ok(parts) => format!("    four ranks: {parts:?}\n"),
        Err(cause) => format!("    four ranks: refused: {cause}\n"),
    };
    for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
        let parts = std::array::from_fn(|of| if of == axis { 2 } else { 1 });
        if let Err(cause) = cut(Some(parts), 2) {
            let _ = writeln!(text, "    refused along {letter}: {cause}");
        }
    }
    text
}

/// The results of cuts for each pipeline: those into two parts in full.
fn answers(directory: &Path) -> String {
    let mut names: Vec<String> = (std::fs::read_dir(directory).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_string())
        .collect();
    names.sort();
    let mut text = String::new();
    for name in names {
        let uncut = load(&name, &[]);
        let mut pipeline = uncut.clone();
        match pipeline.cut(&CutRequest::default(), 0, 2) {
            Ok(notices) => {
                let parts = pipeline.cut.unwrap().partition.parts;
                let _ = writeln!(text, "{name}: cut into {parts:?}");
                for notice in notices {
                    let _ = writeln!(text, "    {notice}");
                }
                text += &others(&uncut);
            }
            Err(uncut) => {
                let _ = writeln!(text, "{name}: refused");
                for uncut in uncut {
                    let _ = writeln!(text, "    {}", uncut.message);
                }
            }
        }
    }
    text
}

#[test]
fn shipped_pipelines_are_cut_or_refused() {
    let found = answers(&root().join("pipelines"));
    let path = root().join("tests/data/ranks.txt");
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "SASTRUGI_UPDATE=1 records the answers anew");
    for (name, _) in CUT {
        assert!(found.contains(&format!("{name}: cut into")), "{name}");
    }
    let refused = found.lines().filter_map(|line| line.strip_suffix(": refused"));
    assert_eq!(refused.collect::<Vec<_>>(), REFUSED);
}

/// Flows with multigrid-preconditioned conjugate gradients, whose stages run on parts, except those on small levels
/// and the means of closed regions.
#[test]
#[ignore = "long: multigrid on two to four ranks, each with kernels of its own"]
fn flows_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting::steps(2);
    let karman = load("karman", &["n=20", "length=0.82", SMALL_PICTURE]);
    assert_equal(&gpu, &karman, &[[1, 2, 1], [1, 3, 1]], &setting);
    let vortices = load("taylor_green_3d", &["n=24"]);
    assert_equal(&gpu, &vortices, &[[1, 1, 2], [1, 2, 2], [1, 1, 3]], &setting);
    let smoke = load("smoke", &["n=10", "bunny.cells=24", SMALL_PICTURE]);
    assert_equal(&gpu, &smoke, &[[1, 1, 2], [1, 2, 1]], &setting);
    let cavity = load("cavity", &["n=16", SMALL_PICTURE]);
    assert_equal(&gpu, &cavity, &[[1, 2, 1]], &setting);
}

/// Without division: every rank runs the stages of a solver whole.
#[test]
#[ignore = "long: multigrid with the kernels of two ranks"]
fn whole_stages_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        whole: Whole::All,
        ..Setting::steps(2)
    };
    let karman = load("karman", &["n=20", "length=0.82", SMALL_PICTURE]);
    assert_equal(&gpu, &karman, &[[2, 1, 1]], &setting);
}

/// Wind and drifting snow without pictures: the settings that make them small, and cuts.
type Drifting = (&'static str, &'static [&'static str], &'static [[usize; 3]]);

const NO_SCENE: &[&str] = &["use.draw=null", "frame=[]", "outputs.view=null"];

const DRIFT: &[Drifting] = &[
    (
        "drift_flat",
        &["length=8", "drift.suspended=yes"],
        &[[2, 1, 1], [3, 1, 1], [4, 1, 1], [2, 2, 1]],
    ),
    (
        "drift_ridge",
        &[
            "cells=[16, 16, 8]",
            "h=70",
            "speed_up=20000",
            "init=[\"level_sides\", \"wind.init\"]",
        ],
        &[[2, 1, 1], [1, 2, 1], [2, 2, 1], [3, 1, 1]],
    ),
    (
        "drift_fence",
        &[
            "length=16",
            "fence.at=6",
            "top=5",
            "snow=0.2",
            "speed_up=100000",
            "use.section=null",
            "outputs.section=null",
            "frame=[]",
        ],
        &[[2, 1, 1], [3, 1, 1], [4, 1, 1]],
    ),
    (
        "drift_cube",
        &[
            "h=0.25",
            "size=[6, 4, 3]",
            "place=[2.5, 2]",
            "speed_up=20000",
            "init=[\"shape.init\", \"wind.init\"]",
            "outputs.speed=null",
        ],
        &[[2, 1, 1], [1, 2, 1], [2, 2, 1]],
    ),
    (
        "drift_village",
        &[
            "h=4",
            "speed_up=20000",
            "init=[\"shape.init\", \"wind.init\"]",
            "outputs.speed=null",
        ],
        &[[2, 1, 1], [2, 2, 1]],
    ),
    ("sastrugi", &["size=[8, 4]", "init=[]"], &[[2, 1, 1], [2, 2, 1]]),
    (
        "sastrugi_flow",
        &["size=[6.4, 3.2, 3.2]", "speed_up=20000", "init=[\"wind.init\"]"],
        &[[2, 1, 1], [1, 2, 1], [2, 2, 1]],
    ),
];

/// A step of [`DRIFT`] places the ground again, and snow slides.
const DRIFT_STEPS: u64 = 10;

/// Snow that drifts over flat ground, with its outputs.
pub(super) fn drifting_over_ground(frames: u64) -> Pipeline {
    let frames = format!("run.frames={frames}");
    let (name, settings, _) = DRIFT[0];
    load(name, &[settings, &["run.steps_per_frame=2", &frames]].concat())
}

fn drifting((name, settings, _): &Drifting) -> Pipeline {
    let no_scene = NO_SCENE
        .iter()
        .filter(|_| !matches!(*name, "drift_flat" | "drift_fence"));
    let settings: Vec<&str> = settings.iter().chain(no_scene).copied().collect();
    load(name, &settings)
}

#[track_caller]
fn assert_drifts_equally(drifts: &[Drifting]) {
    let Some(gpu) = common::gpu() else { return };
    for drift in drifts {
        assert_equal(&gpu, &drifting(drift), drift.2, &Setting::steps(DRIFT_STEPS));
    }
}

#[test]
#[ignore = "long: multigrid on two to four ranks, each with kernels of its own"]
fn snow_drifts_equally_over_ground() {
    assert_drifts_equally(&DRIFT[..2]);
}

#[test]
#[ignore = "long: multigrid on two to four ranks, each with kernels of its own"]
fn snow_drifts_equally_round_obstacles() {
    assert_drifts_equally(&DRIFT[2..5]);
}

#[test]
#[ignore = "long: multigrid on two to four ranks, each with kernels of its own"]
fn bedforms_grow_equally() {
    assert_drifts_equally(&DRIFT[5..]);
}

/// All of them run on parts in every cut, and all units of snow are counted.
#[test]
fn drifting_snow_is_cut_along_x_and_y() {
    for drift in DRIFT {
        for parts in drift.2 {
            let mut pipeline = drifting(drift);
            let request = CutRequest {
                parts: Some(*parts),
                whole: Whole::None,
            };
            (pipeline.cut(&request, 0, parts.iter().product()))
                .unwrap_or_else(|uncut| panic!("{} {parts:?}: {uncut:?}", drift.0));
            let cut = pipeline.cut.as_deref().unwrap();
            for name in ["drift.gone", "drift.come"] {
                let field = pipeline.field(name).unwrap();
                assert!(cut.sums.contains(&field) && pipeline.carries(field), "{name}");
            }
        }
    }
}

#[test]
#[ignore = "long: multigrid on two ranks"]
fn control_drifting_snow_without_an_exchange_has_other_bits() {
    for spoil in [Spoil::Drop, Spoil::Shallow] {
        assert_changed(&drifting(&DRIFT[0]), spoil, [2, 1, 1]);
    }
}

/// Every rank computes Fourier transforms of a small relief whole; ranks divide those of a large one, whose other stages are
/// refused by name.
#[test]
fn large_fourier_transforms_are_divided() {
    let cut = |size: &str, parts: [usize; 3], whole: Whole| {
        let mut relief = load("sastrugi", &[size]);
        let parts = Some(parts);
        relief.cut(&CutRequest { parts, whole }, 0, 2)?;
        Ok(relief)
    };
    let are_on_parts = |relief: Result<Pipeline, Vec<Uncut>>| {
        let relief = relief.unwrap_or_else(|uncut| panic!("{uncut:?}"));
        let shares = relief.cut.unwrap().shares.into_iter().zip(relief.stages);
        let transforms = shares.filter(|(_, stage)| stage.lines.is_some());
        let on_parts = transforms.map(|(share, _)| matches!(share, Share::Part { .. }));
        on_parts.collect::<Vec<_>>()
    };
    let small = cut("size=[32, 16]", [2, 1, 1], Whole::None);
    assert_eq!(are_on_parts(small), [false; 4]);
    let uncut = cut("size=[128, 64]", [2, 1, 1], Whole::None).unwrap_err();
    let names = ["`wind.height`", "`wind.separation`"];
    assert_eq!(uncut.len(), names.len(), "{uncut:?}");
    let mut pairs = uncut.iter().zip(names);
    assert!(
        pairs.all(|(uncut, name)| uncut.message.contains(name)),
        "{uncut:?}"
    );
    for parts in [[2, 1, 1], [1, 2, 1]] {
        let large = cut("size=[128, 64]", parts, Whole::All);
        assert_eq!(are_on_parts(large), [true; 4]);
    }
}

/// Height fields without a grid, and a loop that the device ends.
#[test]
#[ignore = "long: compiles the kernels of three ranks"]
fn shallow_water_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let settings = [
        "grids.ground.vertices=[96, 100]",
        "use.draw=null",
        "frame=[]",
        "outputs.view=null",
        "init=[\"fill_lake\"]",
    ];
    let water = load("shallow_water", &settings);
    assert_equal(
        &gpu,
        &water,
        &[[2, 1, 1], [1, 2, 1], [3, 1, 1], [2, 2, 1]],
        &Setting::steps(4),
    );
}
