//! Several worlds in the same dispatches: each has the bits of a run alone.

use std::fs;
use std::path::Path;

use sastrugi::{
    Builder, Device, DeviceOptions, Ending, NoObserver, Options, Pipeline, Run, Simulation, shipped,
};

/// Few particles of `mpm_water`, and a small picture.
const FEW: [&str; 2] = ["column.lattice=[9, 7, 11]", "draw.size=[32, 18]"];

/// A device with the validation layer.
fn device() -> Option<Device> {
    crate::device_or_skip(&DeviceOptions {
        validation: true,
        ..DeviceOptions::default()
    })
}

fn shipped_pipeline(name: &str, sets: &[&str]) -> Builder {
    let path = shipped::find(Path::new(name)).unwrap();
    Pipeline::from_file(path).set_all(sets.iter().copied())
}

/// All fields after some steps and a frame.
fn fields(device: &Device, pipeline: &Pipeline, steps: u64) -> Vec<(String, Vec<u8>)> {
    let mut simulation = Simulation::new(device, pipeline).unwrap();
    simulation.steps(steps).unwrap();
    simulation.draw().unwrap();
    assert_eq!(simulation.fault().unwrap(), None);
    let names = pipeline.fields().into_iter().map(|field| field.name);
    names
        .map(|name| {
            let bytes = simulation.with_bytes::<u8, _>(&name, <[u8]>::to_vec).unwrap();
            (name, bytes)
        })
        .collect()
}

/// The fields of one of several worlds.
fn of_world(fields: &[(String, Vec<u8>)], world: usize, worlds: usize) -> Vec<(String, Vec<u8>)> {
    let own = |bytes: &Vec<u8>| {
        let each = bytes.len() / worlds;
        bytes[world * each..(world + 1) * each].to_vec()
    };
    (fields.iter())
        .map(|(name, bytes)| (name.clone(), own(bytes)))
        .collect()
}

/// Names of fields that differ.
fn differing(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)]) -> Vec<String> {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().zip(b).filter(|(a, b)| a != b);
    pairs.map(|((name, _), _)| name.clone()).collect()
}

/// Compares each of three worlds with a run alone; `alone` are the assignments of each.
fn assert_equal_to_runs_alone(pipeline: &Builder, worlds: &str, alone: [&[&str]; 3], steps: u64) {
    let Some(device) = device() else { return };
    let stacked = pipeline.clone().set(worlds).build().unwrap();
    assert_eq!(stacked.worlds(), 3);
    let stacked = fields(&device, &stacked, steps);
    for (world, sets) in alone.iter().enumerate() {
        let alone = pipeline.clone().set_all(sets.iter().copied()).build().unwrap();
        let alone = fields(&device, &alone, steps);
        let differing = differing(&of_world(&stacked, world, 3), &alone);
        assert!(differing.is_empty(), "world {world} differs in {differing:?}");
    }
    let between = |a, b| differing(&of_world(&stacked, a, 3), &of_world(&stacked, b, 3));
    assert!(
        !between(0, 1).is_empty() && !between(1, 2).is_empty(),
        "control: worlds differ"
    );
    device.validated(Ok(())).unwrap();
}

#[test]
#[ignore = "long: smoke in three worlds"]
fn each_world_of_smoke_equals_a_run_alone() {
    let smoke = shipped_pipeline("smoke", &["n=9", "grids.view.pixels=[36, 48]", "bunny.cells=16"]);
    // Lift is an argument of kernels. The rotation of the bunny changes initial values, and with them regions of the pressure
    // solver and numbers of its iterations.
    let worlds = r#"worlds={"set": {"air.lift": "6 + 30 * world", "bunny.turn": [25, 90, 25], "run.seed": [4, 5, 9]}}"#;
    let alone: [&[&str]; 3] = [
        &["air.lift=6", "run.seed=4"],
        &["air.lift=36", "bunny.turn=90", "run.seed=5"],
        &["air.lift=66", "run.seed=9"],
    ];
    assert_equal_to_runs_alone(&smoke, worlds, alone, 3);
}

#[test]
fn each_world_of_particles_equals_a_run_alone() {
    let water = shipped_pipeline("mpm_water", &FEW);
    let alone: [&[&str]; 3] = [&["run.seed=1"], &["run.seed=2"], &["run.seed=3"]];
    assert_equal_to_runs_alone(&water, "worlds.count=3", alone, 4);
}

/// Each world counts down from its own number, in a repeat with another one in it.
const COUNT: &str = r#"{
    "parameters": {"start": 0, "inner": 2},
    "run": {"dt": 1, "steps_per_frame": 1, "frames": 2},
    "buffers": {"left": {"type": "uint", "length": 1}, "turns": {"type": "uint", "length": 1},
        "rest": {"type": "uint", "length": 1}, "sum": {"type": "uint", "length": 3}},
    "stages": {
        "begin": {"over": 1, "writes": ["left"], "arguments": {"start": "start"}},
        "arm": {"over": 1, "reads": ["left"], "writes": ["rest"], "arguments": {"inner": "inner"}},
        "inside": {"over": 1, "reads": ["rest", "turns"], "writes": ["rest", "turns"]},
        "add": {"over": "sum", "reads": ["sum"], "writes": ["sum"]},
        "down": {"over": 1, "reads": ["left"], "writes": ["left"]}
    },
    "step": ["begin", {"repeat": "outer", "over": 12, "while": "left", "on_max_iterations": "stop", "stages": [
        "arm", {"repeat": "inner", "over": 5, "while": "rest", "stages": ["inside"]}, "add", "down"]}],
    "outputs": {"log": {"values": {"turns": "turns[0]"}}, "sum": {"source": "sum", "format": "npy"}}
}"#;

fn count() -> Builder {
    let kernel =
        |body: &str| format!("#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) {{ {body} }}\n");
    Pipeline::from_json(COUNT)
        .name("count")
        .shader("begin.comp", kernel("set_left(0u, uint(arg.start));"))
        .shader(
            "arm.comp",
            kernel("set_rest(0u, uint(arg.inner) + left(0u) % 2u);"),
        )
        .shader(
            "inside.comp",
            kernel("set_rest(0u, rest(0u) - 1u); set_turns(0u, turns(0u) + 1u);"),
        )
        .shader("add.comp", kernel("set_sum(i, sum(i) + i + 1u);"))
        .shader("down.comp", kernel("set_left(0u, left(0u) - 1u);"))
}

/// Turns of the inner repeat for a start.
fn turns(start: u32) -> u32 {
    (1..=start).map(|left| 2 + left % 2).sum()
}

#[test]
fn repeats_end_in_each_world_by_themselves() {
    let Some(device) = device() else { return };
    let starts = [0_u32, 7, 1, 12, 3];
    let worlds = format!(r#"worlds={{"set": {{"start": {starts:?}}}}}"#);
    let pipeline = count().set(&worlds).build().unwrap();
    let mut simulation = Simulation::new(&device, &pipeline).unwrap();
    simulation.steps(2).unwrap();
    let wanted: Vec<u32> = starts.iter().map(|start| 2 * turns(*start)).collect();
    assert_eq!(simulation.read::<u32>("turns").unwrap(), wanted);
    let sums: Vec<u32> = starts
        .iter()
        .flat_map(|start| [1, 2, 3].map(|i| 2 * i * start))
        .collect();
    assert_eq!(simulation.read::<u32>("sum").unwrap(), sums);
    assert_eq!(simulation.fault().unwrap(), None);

    // One value for each world, then one for all.
    let each: Vec<Vec<f64>> = [1.0, 0.0, 2.0, 0.0, 12.0].map(|start| vec![start]).to_vec();
    assert!(simulation.set_worlds(&[("start".into(), each)]).unwrap());
    simulation.step().unwrap();
    let now: Vec<u32> = [1, 0, 2, 0, 12]
        .into_iter()
        .map(turns)
        .zip(&wanted)
        .map(|(new, old)| new + old)
        .collect();
    assert_eq!(simulation.read::<u32>("turns").unwrap(), now);
    assert_eq!(simulation.pipeline().parameters_of(4)[0].values, [12.0]);
    assert!(simulation.set(&[("start".into(), vec![1.0])]).unwrap());
    simulation.write("turns", &[0_u32; 5]).unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.read::<u32>("turns").unwrap(), [turns(1); 5]);
    // The document of the pipeline says the same.
    let again = simulation.pipeline().with(["inner=2"]).unwrap();
    assert!((0..5).all(|world| again.parameters_of(world)[0].values == [1.0]));

    // A repeat that does not end names its world.
    let endless = count()
        .set(r#"worlds={"set": {"start": [1, 13]}}"#)
        .build()
        .unwrap();
    let mut simulation = Simulation::new(&device, &endless).unwrap();
    simulation.step().unwrap();
    let fault = simulation.fault().unwrap().unwrap().to_string();
    assert!(fault.ends_with("in world 1"), "{fault}");
    device.validated(Ok(())).unwrap();
}

#[test]
fn a_fault_names_its_world() {
    let Some(device) = device() else { return };
    let text = r#"{
        "parameters": {"place": 0},
        "run": {"dt": 1},
        "buffers": {"from": {"type": "uint", "length": 3, "background": 1}, "to": {"type": "uint", "length": 1}},
        "step": [{"stage": "far", "over": 1, "reads": ["from"], "writes": ["to"], "arguments": {"place": "place"}}]
    }"#;
    let far = "#version 460\n#include \"stage.glsl\"\n#pragma reach from anywhere\n\
               void stage(uint i) { set_to(0u, from(uint(arg.place))); }\n";
    let pipeline = Pipeline::from_json(text)
        .name("far")
        .shader("far.comp", far)
        .set(r#"worlds={"set": {"place": [0, 2, 5]}}"#)
        .build()
        .unwrap();
    let options = Options {
        checked: true,
        ..Options::default()
    };
    let mut simulation = Simulation::with_options(&device, &pipeline, options).unwrap();
    simulation.step().unwrap();
    let fault = simulation.fault().unwrap().unwrap().to_string();
    assert!(
        fault.contains("`from` at index 5") && fault.ends_with("in world 2"),
        "{fault}"
    );
}

#[test]
fn a_state_of_several_worlds_continues_with_the_same_bits() {
    let Some(device) = device() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state");
    let pipeline = shipped_pipeline("mpm_water", &FEW)
        .set("worlds.count=3")
        .build()
        .unwrap();
    let mut simulation = Simulation::new(&device, &pipeline).unwrap();
    simulation.steps(3).unwrap();
    simulation.checkpoint(&file).unwrap();
    let positions = |simulation: &mut Simulation| {
        simulation.steps(2).unwrap();
        simulation
            .with_bytes::<u8, _>("matter.position", <[u8]>::to_vec)
            .unwrap()
    };
    let straight = positions(&mut simulation);
    let mut resumed = Simulation::new(&device, &pipeline).unwrap();
    resumed.restore(&file).unwrap();
    assert!(positions(&mut resumed) == straight);
    assert!(
        positions(&mut resumed) != straight,
        "control: further steps change them"
    );
    // Another number of worlds has other memory.
    let other = shipped_pipeline("mpm_water", &FEW)
        .set("worlds.count=2")
        .build()
        .unwrap();
    assert!(Simulation::new(&device, &other).unwrap().restore(&file).is_err());
}

#[test]
fn outputs_of_worlds_have_their_own_directories() {
    let Some(device) = device() else { return };
    let directory = tempfile::tempdir().unwrap();
    let run = |name: &str, sets: &[&str]| {
        let pipeline = count().set_all(sets.iter().copied()).build().unwrap();
        let path = directory.path().join(name);
        let ending = Run::new(&pipeline, &path)
            .start(&device, &mut NoObserver)
            .unwrap();
        assert_eq!(ending, Ending::Done);
        path
    };
    let several = run("several", &[r#"worlds={"set": {"start": [2, 5, 11]}}"#]);
    for (world, start) in ["start=2", "start=5", "start=11"].into_iter().enumerate() {
        let alone = run(start, &[start]);
        for file in ["log.csv", "sum.0001.npy", "sum.0002.npy"] {
            let own = several.join(format!("world-000{world}")).join(file);
            assert!(
                fs::read(&own).unwrap() == fs::read(alone.join(file)).unwrap(),
                "{}",
                own.display()
            );
        }
    }
    let manifest = fs::read_to_string(several.join("manifest.json")).unwrap();
    let manifest: sastrugi::Value = manifest.parse().unwrap();
    assert_eq!(manifest["worlds"], 3);
    assert_eq!(manifest["outputs"]["sum"]["files"], 6);
    // A run of fewer worlds replaces them all.
    run("several", &["worlds.count=2"]);
    assert!(!several.join("world-0002/sum.0001.npy").exists());
    assert!(several.join("world-0001/sum.0001.npy").exists());
}

#[test]
fn a_module_of_another_compiler_runs_in_worlds() {
    let Some(device) = device() else { return };
    let tiny = Path::new(crate::ROOT).join("tests/data/tiny.json");
    let build = |slang: bool| {
        let mut pipeline = Pipeline::from_file(&tiny).set("worlds.count=2").build().unwrap();
        if slang {
            let module = Path::new(crate::ROOT).join("tests/data/slang/spread.spv");
            pipeline.swap_shader("spread", module.to_str().unwrap());
        }
        fields(&device, &pipeline, 4)
    };
    assert!(differing(&build(false), &build(true)).is_empty());
}

/// A column of cells, a workgroup for each.
fn column(sides: [u32; 3], worlds: u32) -> Pipeline {
    let text = r#"{
        "parameters": {"scale": 1}, "run": {"dt": 1},
        "grids": {"box": {"cells": SIDES, "cell_size": 1, "channels": {"value": "uint"}}},
        "step": [{"stage": "number", "over": "box", "writes": ["box.value"], "arguments": {"scale": "scale"},
            "tuning": {"workgroup": [1, 1, 1], "cells_per_thread_z": 1}}]
    }"#;
    let kernel = "#version 460\n#include \"stage.glsl\"\nvoid stage(ivec3 cell) {\n\
                  uvec3 id = gl_GlobalInvocationID + 0u * gl_WorkGroupID;\n\
                  set_box_value(cell, uint(arg.scale) * (id.x + 10u * id.y + 100u * id.z) + clock.seed); }\n";
    Pipeline::from_json(&text.replace("SIDES", &format!("{sides:?}")))
        .name("column")
        .shader("number.comp", kernel)
        .set(&format!(
            r#"worlds={{"count": {worlds}, "set": {{"scale": "1 + world"}}}}"#
        ))
        .build()
        .unwrap()
}

#[test]
fn worlds_follow_one_another_in_x_where_z_has_no_room() {
    let Some(device) = device() else { return };
    for (sides, worlds) in [([3, 2, 5], 100), ([3, 2, 700], 100)] {
        let mut simulation = Simulation::new(&device, &column(sides, worlds)).unwrap();
        simulation.step().unwrap();
        let values = simulation.read::<u32>("box.value").unwrap();
        let [nx, ny, nz] = sides;
        let of_world = |world: u32| {
            let cells = (0..nx * ny * nz).map(move |i| (i % nx, i / nx % ny, i / (nx * ny)));
            cells.map(move |(x, y, z)| (1 + world) * (x + 10 * y + 100 * z) + world)
        };
        assert!(values == (0..worlds).flat_map(of_world).collect::<Vec<u32>>());
    }
    // lavapipe has the smallest limit along each axis.
    if device.info().is_processor {
        let refused = Simulation::new(&device, &column([700, 1, 700], 100))
            .err()
            .unwrap()
            .to_string();
        assert!(
            refused.contains("at most 93 worlds fit a dispatch of this device, not 100"),
            "{refused}"
        );
    }
}
