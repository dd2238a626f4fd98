//! Groups that a program calls between steps.

use sastrugi::{
    Builder, Device, DeviceOptions, Entry, Error, ErrorKind, GraphFormat, Options, Pipeline, Simulation,
    Update, json,
};

fn kernel(body: &str) -> String {
    format!("#version 460\n#include \"stage.glsl\"\n{body}\n")
}

/// A grid whose fields every step swaps an odd number of times, and a ring of three copies. `amend` and `count_down` are for
/// calls; `count_down` loops until the device ends it.
fn pipeline() -> Builder {
    let stage = |name: &str, over: &str, field: &str| json!({"stage": name, "over": over, "reads": [field], "writes": [field]});
    Builder::new("calls")
        .time(0.5)
        .parameter("factor", 3)
        .grid("box", [4, 3], 1, |grid| {
            grid.channel("a", json!({"type": "float", "background": 1}))
                .channel("b", json!({"type": "float", "background": 100}))
                .channel("seen", json!({"type": "float", "background": 0}))
        })
        .particles("dots", 5, |dots| {
            dots.key("ring", 3)
                .attribute("x", json!({"type": "float", "background": 10}))
                .attribute("key", json!({"type": "uint", "background": 0}))
        })
        .buffer("left", "uint", 1)
        .key(
            &["stages", "amend"],
            json!([
                {"stage": "times", "over": "box", "reads": ["box.a"], "writes": ["box.a"],
                    "arguments": {"factor": "factor"}},
                {"swap": ["box.a", "box.b"]},
                stage("plus", "box", "box.a"),
                {"swap": ["box.a", "box.b"]},
                stage("shift", "dots", "dots.x"),
                {"stage": "look", "over": "box", "writes": ["box.seen"]},
            ]),
        )
        .key(
            &["stages", "count_down"],
            json!([
                {"set": "left", "to": 1},
                {"repeat": "k", "over": 60, "while": "left", "stages": [
                    stage("plus", "box", "box.a"),
                    {"stage": "note", "over": 1, "reads": ["box.a"], "writes": ["left"]}]},
            ]),
        )
        .key(&["stages", "odd"], json!([{"swap": ["box.a", "box.b"]}]))
        .key(
            &["stages", "sorted"],
            json!([{"sort": "dots", "by": "dots.key", "bits": 8}]),
        )
        .step(Entry::json(stage("plus", "box", "box.a")))
        .step(Entry::json(json!({"swap": ["box.a", "box.b"]})))
        .step(Entry::json(stage("move", "dots", "dots.x")))
        .shader(
            "times.comp",
            kernel("void stage(ivec2 i) { set_box_a(i, arg.factor * box_a(i)); }"),
        )
        .shader(
            "plus.comp",
            kernel("void stage(ivec2 i) { set_box_a(i, box_a(i) + 1.0); }"),
        )
        .shader(
            "shift.comp",
            kernel("void stage(uint i) { set_dots_x(i, dots_x(i) + 100.0); }"),
        )
        .shader(
            "move.comp",
            kernel("void stage(uint i) { set_dots_x(i, dots_x(i) + 1.0); }"),
        )
        .shader(
            "look.comp",
            kernel("void stage(ivec2 i) { set_box_seen(i, float(clock.step)); }"),
        )
        .shader(
            "note.comp",
            kernel("void stage(uint i) { set_left(0u, box_a(ivec2(0)) < 1000.0 ? 1u : 0u); }"),
        )
}

/// Values of `box.a`, `box.b` and `dots.x`; the methods compute the pipeline on the host.
#[derive(Debug, PartialEq)]
struct Values([f32; 3]);

impl Values {
    fn step(&mut self) {
        let Values([a, b, x]) = *self;
        self.0 = [b, a + 1.0, x + 1.0];
    }

    fn amend(&mut self, factor: f32) {
        let Values([a, b, x]) = *self;
        self.0 = [factor * a, b + 1.0, x + 100.0];
    }
}

fn values(simulation: &mut Simulation) -> Result<Values, Error> {
    let mut found = [0.0; 3];
    for (value, field) in found.iter_mut().zip(["box.a", "box.b", "dots.x"]) {
        let all: Vec<f32> = simulation.read(field)?;
        assert!(all.iter().all(|other| *other == all[0]), "{field}: {all:?}");
        *value = all[0];
    }
    Ok(Values(found))
}

fn device() -> Option<Device> {
    crate::device_or_skip(&DeviceOptions {
        validation: true,
        ..DeviceOptions::default()
    })
}

#[test]
fn called_groups_continue_from_any_step_and_steps_from_them() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let pipeline = pipeline().callable("amend").build()?;
    for checked in [false, true] {
        // Steps before the first call, between two calls, and after them: all phases of swaps and rings.
        for before in 0..7 {
            let options = Options {
                checked,
                ..Options::PLAIN
            };
            let mut simulation = Simulation::with_options(&device, &pipeline, options)?;
            let mut expected = Values([1.0, 100.0, 10.0]);
            for steps in [before, 1, 0, 3] {
                simulation.steps(steps)?;
                (0..steps).for_each(|_| expected.step());
                simulation.call("amend")?;
                expected.amend(3.0);
                assert_eq!(
                    values(&mut simulation)?,
                    expected,
                    "{before} steps, checked: {checked}"
                );
            }
            simulation.steps(2)?;
            (0..2).for_each(|_| expected.step());
            assert_eq!(values(&mut simulation)?, expected);
            assert_eq!(simulation.step_count(), before + 6);
            assert!(simulation.fault()?.is_none());
            // The clock of a call is that of the next step.
            let seen: Vec<f32> = simulation.read("box.seen")?;
            assert_eq!(seen[0] as u64, before + 4);
        }
    }
    device.validated(Ok(()))
}

#[test]
fn loops_of_called_groups_end_on_the_device() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let pipeline = pipeline().callable("amend").callable("count_down").build()?;
    let mut simulation = Simulation::new(&device, &pipeline)?;
    simulation.write("box.a", &[970.0_f32; 12])?;
    simulation.call("count_down")?;
    assert_eq!(values(&mut simulation)?, Values([1000.0, 100.0, 10.0]));
    simulation.call("amend")?;
    simulation.call("count_down")?;
    assert_eq!(values(&mut simulation)?, Values([3001.0, 101.0, 110.0]));
    simulation.step()?;
    assert_eq!(values(&mut simulation)?, Values([101.0, 3002.0, 111.0]));
    device.validated(Ok(()))
}

#[test]
fn groups_become_callable_while_a_simulation_runs() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let plain = pipeline().build()?;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state");
    let mut simulation = Simulation::new(&device, &plain)?;
    assert!(plain.callable().is_empty());
    let error = simulation.call("amend").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Misuse);
    simulation.steps(2)?;
    simulation.checkpoint(&file)?;
    let callable = plain.with_callable("amend")?;
    assert!(matches!(simulation.update(&callable, false)?, Update::Kernels));
    simulation.call("amend")?;
    let mut expected = Values([1.0, 100.0, 10.0]);
    (0..2).for_each(|_| expected.step());
    expected.amend(3.0);
    assert_eq!(values(&mut simulation)?, expected);
    // Parameters change called groups, too.
    assert!(matches!(
        simulation.update(&callable.with(["factor=2"])?, false)?,
        Update::Values
    ));
    simulation.call("amend")?;
    expected.amend(2.0);
    assert_eq!(values(&mut simulation)?, expected);
    // A checkpoint of the pipeline without calls.
    assert!(matches!(simulation.update(&callable, false)?, Update::Values));
    simulation.restore(&file)?;
    let mut expected = Values([1.0, 100.0, 10.0]);
    (0..2).for_each(|_| expected.step());
    assert_eq!(values(&mut simulation)?, expected);
    device.validated(Ok(()))
}

#[test]
fn groups_that_cannot_run_between_steps_are_refused() {
    let refused = |name: &str| pipeline().callable(name).build().unwrap_err().to_string();
    assert!(refused("odd").contains("`odd` cannot be called between steps: it leaves fields swapped"));
    assert!(refused("sorted").contains("sorts"));
    let unknown = refused("amnd");
    assert!(
        unknown.contains("call of `amnd`:1:1") && unknown.contains("did you mean `amend`?"),
        "{unknown}"
    );
}

#[test]
fn calls_are_no_part_of_steps() -> Result<(), sastrugi::Problems> {
    let numbers = |pipeline: Pipeline| -> Result<_, sastrugi::Problems> {
        let graph = pipeline.graph(GraphFormat::Text)?;
        Ok((pipeline.to_json(), graph))
    };
    let (plain, of_plain) = numbers(pipeline().build()?)?;
    let (called, of_called) = numbers(pipeline().callable("amend").build()?)?;
    assert_eq!(plain, called);
    assert!(of_called.contains("when `amend` is called"), "{of_called}");
    assert!(!of_plain.contains("called"));
    Ok(())
}
