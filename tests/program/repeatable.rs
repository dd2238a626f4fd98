//! Every pipeline in pipelines/, cut down, run by the program with the validation layer. For some, its files do not depend
//! on the order of workgroups, on barriers, on a second run or on a resumed one; and some run with every access checked,
//! which makes drivers compile kernels for ten times as long. The long tests do all of this for every pipeline.
//!
//! The layer takes half of the time of such a run: only the first run of each test has it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::device;
use small::*;

mod small;

/// One test for each pipeline, with what makes it small.
macro_rules! pipelines {
    ($($name:ident: [$($setting:expr),* $(,)?]),* $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                let name = stringify!($name);
                let checked = if CHECKED.contains(&name) { CHECKS } else { &[] };
                if REPEATED.contains(&name) {
                    repeats(name, &[$($setting),*], checked);
                } else {
                    runs(name, &[$($setting),*], checked);
                }
            }
        )*
        mod all {
            $(
                #[test]
                #[ignore = "long: every pipeline checked, and several times"]
                fn $name() {
                    use super::*;
                    repeats(stringify!($name), &[$($setting),*], CHECKS);
                }
            )*
        }
    };
}

/// The same for pipelines that short tests leave out.
macro_rules! variants {
    ($($name:ident: [$($setting:expr),* $(,)?]),* $(,)?) => {
        const VARIANTS: &[&str] = &[$(stringify!($name)),*];
        mod variants {
            $(
                #[test]
                #[ignore = "long: another pipeline has the same kernels"]
                fn $name() {
                    use super::*;
                    repeats(stringify!($name), &[$($setting),*], CHECKS);
                }
            )*
        }
    };
}

// Drivers compile kernels for each number of particles: several have 1,200.
pipelines! {
    mpm_water: ["column.lattice=[10, 10, 12]", SMALL_VIEW, SMALL_SUN, EACH_POSITION],
    mpm_jelly: [
        "column.lattice=[10, 10, 12]", "column.low=[0.31, 0.31, 0.08]", SMALL_VIEW, SMALL_SUN, EACH_POSITION,
    ],
    mpm_snow: [
        "balls.each=600", "balls.radius=0.08", "balls.left=[0.8, 0.5, 0.4]", "balls.right=[0.97, 0.5, 0.4]", SMALL_VIEW,
        SMALL_SUN, EACH_POSITION,
    ],
    mpm_sand: ["column.lattice=[10, 10, 12]", SMALL_VIEW, SMALL_SUN, EACH_POSITION],
    jelly_on_terrain: [
        "box.cell=0.6", "box.cells=[56, 60, 36]", FEW_VERTICES, LARGE_RELIEF,
        "run.steps_per_frame=6", SMALL_VIEW,
    ],
    pic_explosion: [
        "cells=96", "cell=0.08", "body.spacing=0.05", "gas.release=0.02", "run.steps_per_frame=12", SMALL_VIEW, SMALL_SUN,
        EACH_POSITION,
    ],
    snow: [
        SMALL_AIR, AIR_ORIGIN, SMALL_RELIEF, RELIEF_LEVELS, FEW_VERTICES, FEW_FLAKES, SNOW_STEPS, SMALL_VIEW,
        EACH_POSITION, "outputs.snow.every=1",
    ],
    cavity: ["n=12", "run.steps_per_frame=8", SMALL_PICTURE, "outputs.u.every=1", "outputs.v.every=1"],
    karman: ["n=20", "length=0.82", SMALL_PICTURE],
    convection: ["n=12", SMALL_PICTURE, "outputs.u.every=1", "outputs.v.every=1"],
    taylor_green: ["n=12", SMALL_PICTURE, "outputs.u.every=1"],
    taylor_green_3d: ["n=8", "outputs.velocity.every=1"],
    sphere: [
        "n=4", "size=[3, 2, 2]", "centre=[1, 1, 1]", "run.steps_per_frame=4", "outputs.velocity.every=1",
    ],
    flip_dam: ["n=10", SMALL_VIEW, SMALL_SUN, EACH_POSITION],
    fluids: ["n=24", "outputs.velocity.every=1"],
    fluids_3d: ["n=10", SMALL_PICTURE, "outputs.velocity.every=1"],
    turbulence: ["n=8", SMALL_PICTURE, "outputs.spectrum.every=1"],
    lbm_cavity: ["n=12", "steps=20", SMALL_PICTURE, "outputs.u.every=1"],
    lbm_karman: ["n=20", "length=0.82", "steps=20", SMALL_PICTURE],
    lbm_convection: ["n=12", "steps=20", SMALL_PICTURE, "outputs.u.every=1"],
    lbm_bunny: ["n=8", "steps=8", "bunny.cells=24", "draw.surface.level=1", "draw.surface.samples=1", SMALL_PICTURE],
    lbm_propeller: ["n=10", "steps=8", "body.cells=24", "draw.surface.level=1", "draw.surface.samples=1", SMALL_PICTURE],
    lbm_dam: ["n=8", "steps=8", "draw.surface.samples=1", SMALL_PICTURE, "outputs.fill.every=1"],
    pictures: ["grids.box.cells=[24, 18]", "grids.view.pixels=[200, 120]"],
    pictures_volume: ["grids.view.pixels=[80, 50]"],
    pictures_points: ["grids.one.pixels=[80, 50]", "grids.other.pixels=[80, 50]", "grids.view.pixels=[80, 50]", "grids.pair.pixels=[160, 50]"],
    drift_fence: [
        "length=16", "fence.at=6", "top=5", "snow=0.2", "speed_up=100000", "run.steps_per_frame=8", "grids.section_view.pixels=[640, 200]",
        "outputs.section.every=1", "outputs.snow.every=1", "outputs.friction.every=1", "outputs.u.every=1",
    ],
    drift_ridge: [
        "cells=[16, 16, 8]", "h=70", "speed_up=20000", "run.steps_per_frame=8", SMALL_VIEW, "outputs.view.every=1",
        "outputs.elevation=null", "outputs.snow.every=1", "outputs.friction.every=1",
    ],
    saltation: ["u_star=1", "size=[0.02, 0.02]", "capacity=2048", "run.steps_per_frame=40", "outputs.grains.every=1"],
    sastrugi: [
        "size=[8, 4]", "run.steps_per_frame=8", SMALL_VIEW, "outputs.view.every=1", "outputs.snow.every=1", "outputs.friction.every=1",
    ],
    smoke: ["n=10", "bunny.cells=24", SMALL_PICTURE, "outputs.smoke.every=1"],
    gray_scott: ["n=24", SMALL_PICTURE, "outputs.v.every=1"],
    ising: ["n=24", SMALL_PICTURE, "outputs.spin.every=1"],
    nbody: ["n=96", SMALL_PICTURE, "outputs.position.every=1"],
    shallow_water: [FEW_VERTICES, SMALL_VIEW, "outputs.depth.every=1"],
    sph_dam: ["spacing=0.08", SMALL_VIEW, SMALL_SUN, "outputs.matter.every=1"],
}

// They extend a pipeline above, or their kernels run there and in tests of the engine.
variants! {
    drift_flat: ["length=4", "run.steps_per_frame=8", "drift.suspended=yes", "outputs.salt.every=1"],
    flip_fountain: ["n=10", SMALL_VIEW, SMALL_SUN, EACH_POSITION],
    drift_cube: [
        "h=0.25", "size=[6, 4, 3]", "place=[2.5, 2]", "speed_up=20000", "run.steps_per_frame=8", SMALL_VIEW, "outputs.view.every=1",
        "outputs.speed.every=1", "outputs.snow.every=1", "outputs.friction.every=1",
    ],
    snow_debug: [
        SMALL_AIR, AIR_ORIGIN, SMALL_RELIEF, RELIEF_LEVELS, FEW_VERTICES, FEW_FLAKES, SNOW_STEPS,
        "grids.panels.pixels=[163, 67]",
    ],
    mpm_snow_adaptive: [
        "balls.each=600", "balls.radius=0.08", "balls.left=[0.8, 0.5, 0.4]", "balls.right=[0.97, 0.5, 0.4]", SMALL_VIEW,
        SMALL_SUN, EACH_POSITION,
    ],
    smoke_and_water: ["n=10", "grids.view.pixels=[160, 80]", "air.lift=40"],
    sastrugi_flow: ["size=[6.4, 3.2, 3.2]", "speed_up=20000", "run.steps_per_frame=8", SMALL_VIEW, "outputs.snow.every=1"],
    mpm_bunny: ["body.spacing=0.03", "body.feet=[0.5, 0.5, 0.08]", SMALL_VIEW, SMALL_SUN, EACH_POSITION],
    mpm_fountain: ["jet.spacing=0.02", "run.steps_per_frame=16", SMALL_VIEW, SMALL_SUN, EACH_POSITION],
    mpm_snow_wall: [
        "balls.each=900", "balls.radius=0.09", "balls.left=[1.36, 0.6, 0.4]", SMALL_VIEW, SMALL_SUN, EACH_POSITION,
    ],
    pic_dissolve: [
        "cells=96", "cell=0.08", "body.spacing=0.05", "loose.first=0", "loose.lasts=0.1",
        SMALL_VIEW, SMALL_SUN, EACH_POSITION,
    ],
    snow_large: [
        SMALL_AIR, "grids.air.cell_size=7", AIR_ORIGIN, SMALL_RELIEF, RELIEF_LEVELS, FEW_VERTICES, FEW_FLAKES, SNOW_STEPS,
        "grids.air.sparse.budget=1e8", SMALL_VIEW,
    ],
    flip_dam_mesh: ["n=10", SMALL_VIEW, SMALL_SUN],
    drift_village: ["h=4", "speed_up=20000", "run.steps_per_frame=8", SMALL_VIEW, "outputs.view.every=1", "outputs.snow.every=1"],
    flip_water: ["n=10", "draw.surface.samples=1", SMALL_PICTURE, EACH_POSITION],
    lbm_arrows: ["n=8", "steps=8", "seeds.spacing=0.2", "ball.surface.samples=1", SMALL_PICTURE],
    lbm_dam_stereo: ["n=8", "steps=8", "draw.surface.samples=1", "other.surface.samples=1", SMALL_PICTURE, "outputs.fill.every=1"],
    smoke_swing: ["n=10", "bunny.cells=24", SMALL_PICTURE, "outputs.smoke.every=1"],
    mpm_snowfall: [
        "balls.each=400", "balls.radius=0.7", "balls.first=[124, 121, 12.1]", "balls.second=[126, 123, 11.2]",
        "balls.third=[128, 121, 19]", FEW_VERTICES, SMALL_VIEW, EACH_POSITION, "outputs.snow.every=1", "bed.rest_time=0.01",
        "bed.slow=9", "run.steps_per_frame=60",
    ],
    snow_avalanche: [
        SMALL_AIR, AIR_ORIGIN, SMALL_RELIEF, RELIEF_LEVELS, FEW_VERTICES, FEW_FLAKES, SNOW_STEPS, SMALL_VIEW,
        "slab.lattice=[10, 10, 4]", "slab.low=[122, 120]", "box.low=[112, 108, 0]", "box.cells=[32, 32, 40]",
        "bed.rest_time=0.1", "bed.slow=1", "outputs.snow.every=1", "outputs.counters.every=1",
    ],
    flip_flood: [
        "cell=4", "grids.valley.sparse.block=[8, 8, 8]", "water.solver.max_iterations=60", FEW_VERTICES,
        LARGE_RELIEF, SMALL_VIEW,
    ],
    gray_scott_3d: ["n=24", "gel.start.side=0.1", "run.steps_per_frame=40", "draw.surface.samples=1", SMALL_PICTURE, "outputs.v.every=1"],
    lbm_raindrop: ["drop.cells=6", "width=3", "draw.surface.samples=1", SMALL_PICTURE, "outputs.fill.every=1"],
    lbm_lines: ["n=8", "steps=8", "seeds.spacing=0.2", "flow.pieces=12", "ball.surface.samples=1", SMALL_PICTURE],
}

/// Pictures of fields that do not change, whatever the step: pictures of other sizes are their controls.
const STILL: &[(&str, &[&str])] = &[
    ("pictures", &["grids.view.pixels=[100, 60]"]),
    ("pictures_volume", &["grids.view.pixels=[40, 25]"]),
    (
        "pictures_points",
        &[
            "grids.one.pixels=[40, 25]",
            "grids.other.pixels=[40, 25]",
            "grids.view.pixels=[40, 25]",
            "grids.pair.pixels=[80, 25]",
        ],
    ),
];

/// With a second run, a resumed one, and full barriers.
const REPEATED: &[&str] = &["fluids"];

/// In two orders of workgroups: sums of particles.
const SHUFFLED: &[&str] = &["mpm_jelly"];

/// Checked in short tests too: those whose modules no test of the engine runs checked. Those of `snow` take a long test.
const CHECKED: &[&str] = &["pictures", "pictures_points"];

/// Bounds of every access, and races.
const CHECKS: &[&str] = &["--checked"];

type Files = BTreeMap<String, Vec<u8>>;

fn root() -> PathBuf {
    Path::new(crate::ROOT).into()
}

fn program(arguments: &[&str]) {
    let mut command = crate::start();
    command
        .current_dir(root())
        .args(["run", "--quiet"])
        .args(arguments);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}");
}

/// Runs a pipeline anew.
fn run(name: &str, settings: &[&str], out: &Path, more: &[&str]) {
    let file = format!("pipelines/{name}.json");
    let mut arguments = vec![&*file, "--out", out.to_str().unwrap()];
    arguments.extend(more);
    settings.iter().for_each(|set| arguments.extend(["--set", set]));
    program(&arguments);
}

/// Everything that a run wrote but for what tells of its time.
fn files(out: &Path) -> Files {
    let entries = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.is_file() && path.extension().is_some_and(|end| end != "json"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().into();
            (name, std::fs::read(&path).unwrap())
        })
        .collect()
}

/// Names of files that one has and the other has not, or has otherwise.
fn differing(a: &Files, b: &Files) -> Vec<String> {
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    names
        .filter(|name| a.get(*name) != b.get(*name))
        .cloned()
        .collect()
}

/// Two frames: each output has files of both, and nothing went wrong. For some, the order of workgroups does not matter.
fn runs(name: &str, settings: &[&str], checks: &[&str]) {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [out, other] = ["out", "other"].map(|name| directory.path().join(name));
    let is_shuffled = SHUFFLED.contains(&name);
    let arguments = |seed| {
        let order = if is_shuffled {
            &["--shuffle", seed][..]
        } else {
            &[]
        };
        [&["--frames", "2"], order, checks].concat()
    };
    let first = [&["--validation"], &arguments("1")[..]].concat();
    run(name, settings, &out, &first);
    let found = files(&out);
    if is_shuffled {
        run(name, settings, &other, &arguments("2"));
        assert_eq!(differing(&found, &files(&other)), [""; 0], "in another order");
    }
    assert!(!outputs(&found).is_empty(), "{:?}", found.keys());
    for output in outputs(&found) {
        // A list of the files, `smoke.usda`, has no number of a frame.
        let of_output =
            |path: &&String| path.starts_with(&format!("{output}.")) && path.matches('.').count() == 2;
        assert_eq!(found.keys().filter(of_output).count(), 2, "{output}");
    }
    assert!(found.values().all(|file| !file.is_empty()));
    healthy(&found, 2);
}

fn repeats(name: &str, settings: &[&str], checks: &[&str]) {
    if !device::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let [once, again, resumed, other] =
        ["once", "again", "resumed", "other"].map(|name| directory.path().join(name));
    let first = [&["--validation", "--frames", "4", "--shuffle", "1"], checks].concat();
    run(name, settings, &once, &first);
    let expected = files(&once);
    run(name, settings, &again, &["--frames", "4", "--full-barriers"]);
    assert_eq!(differing(&expected, &files(&again)), [""; 0], "twice");
    run(name, settings, &resumed, &["--frames", "2", "--checkpoint", "2"]);
    program(&["--resume", resumed.to_str().unwrap(), "--frames", "4"]);
    assert_eq!(differing(&expected, &files(&resumed)), [""; 0], "resumed");
    let still = STILL.iter().find(|(still, _)| *still == name);
    if still.is_none() {
        moves(&expected);
    }
    healthy(&expected, 4);
    // Control: longer steps make other files, of each output. In the first frame nothing may have moved yet.
    // Of `ising`, time is the number of sweeps.
    let control = match name {
        "ising" => &["run.seed=2"],
        _ => still.map_or(&["run.dt=0.00061"][..], |(_, settings)| settings),
    };
    let control = [settings, control].concat();
    run(name, &control, &other, &["--frames", "2"]);
    let differ = differing(&files(&other), &expected);
    let second =
        |files: &mut dyn Iterator<Item = &String>| files.filter(|name| name.contains(".0002.")).count();
    assert_eq!(
        second(&mut differ.iter()),
        second(&mut expected.keys()),
        "{differ:?}"
    );
}

/// Outputs that have a file of the first frame.
fn outputs(files: &Files) -> Vec<&str> {
    let first = files.keys().filter_map(|name| name.split_once(".0001."));
    first.map(|(name, _)| name).collect()
}

/// Each output has a file of each frame, and not the same one again and again.
fn moves(files: &Files) {
    let outputs = outputs(files);
    assert!(!outputs.is_empty(), "{:?}", files.keys());
    for output in outputs {
        let frames: Vec<&Vec<u8>> = (1..=4)
            .map(|frame| format!("{output}.{frame:04}."))
            .map(|start| files.iter().find(|(name, _)| name.starts_with(&start)).unwrap().1)
            .collect();
        assert!(frames.iter().all(|frame| !frame.is_empty()), "{output}");
        assert_ne!(frames[0], frames[3], "{output} stands still");
    }
}

/// Totals are finite, and nothing left the range of fixed point or waited for memory.
fn healthy(files: &Files, frames: usize) {
    let Some(totals) = files.get("totals.csv") else {
        return;
    };
    let text = String::from_utf8(totals.clone()).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert_eq!(text.lines().count(), 2 + frames, "{text}");
    for line in text.lines().skip(1) {
        for (column, value) in header.iter().zip(line.split(',')) {
            let value: f64 = value.parse().unwrap();
            // A set may be empty at the start, and have no extrema.
            let at_start = line.starts_with("0,") && value.is_nan();
            assert!(value.is_finite() || at_start, "{line}");
            let counted = ["clamped", "crowded", "held_back"].contains(column);
            assert!(!counted || value == 0.0, "{column}: {line}");
        }
    }
}

#[test]
fn every_pipeline_is_tested() {
    let entries = std::fs::read_dir(root().join("pipelines")).unwrap();
    let mut files: Vec<String> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().into())
        .collect();
    files.sort();
    let mut names = [NAMES, VARIANTS].concat();
    names.sort();
    assert_eq!(
        files, names,
        "give a new pipeline a line in `pipelines!` or `variants!` above, cut down to a second or two"
    );
}

#[test]
fn control_file_comparison_detects_differences() {
    let files = |list: &[(&str, u8)]| -> Files {
        list.iter()
            .map(|(name, byte)| ((*name).into(), vec![*byte]))
            .collect()
    };
    let whole = files(&[("a.0001.png", 1), ("b.0001.npy", 2)]);
    assert_eq!(differing(&whole, &whole), [""; 0]);
    assert_eq!(
        differing(&whole, &files(&[("a.0001.png", 1), ("b.0001.npy", 3)])),
        ["b.0001.npy"]
    );
    assert_eq!(differing(&whole, &files(&[("a.0001.png", 1)])), ["b.0001.npy"]);
    assert_eq!(differing(&files(&[("b.0001.npy", 2)]), &whole), ["a.0001.png"]);
}
