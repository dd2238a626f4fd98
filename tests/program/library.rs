//! The library as a program uses it: pipelines from text and from Rust, shaders in memory, fields by name, and what users
//! are told when something is wrong. Only what is public is used.

use std::path::Path;

use sastrugi::{
    Builder, Device, DeviceOptions, Element, Ending, Entry, Error, ErrorKind, NoObserver, Options, Pipeline,
    Run, Simulation, json,
};

const TICK: &str = r#"
#version 460
#include "stage.glsl"
#include "shared/amount.glsl"
void stage(ivec3 cell) { set_box_heat(cell, box_heat(cell) + amount()); }
"#;

const AMOUNT: &str = "float amount() { return arg.amount; }\n";

const TEXT: &str = r#"{
  "parameters": {"n": 4},
  "run": {"dt": 0.5, "steps_per_frame": 2, "frames": 3},
  "grids": {"box": {"cells": ["n", 3, 2], "cell_size": 1, "channels": {
    "heat": {"type": "float", "background": 1}, "flow": {"type": "vec3", "background": 0}}},
    "view": {"pixels": [4, 3], "channels": {"color": "rgba8"}}},
  "step": [{"stage": "tick", "over": "box", "reads": ["box.heat"], "writes": ["box.heat"], "arguments": {"amount": 0.25}}],
  "frame": [{"stage": "paint", "over": "view", "reads": ["box.heat"], "writes": ["view.color"]}],
  "outputs": {"heat": {"source": "box.heat", "format": "npy"}}
}"#;

const PAINT: &str = r#"
#version 460
#include "stage.glsl"
void stage(ivec2 pixel) { set_view_color(pixel, vec4(box_heat(ivec3(pixel, 0)) / 10.0, 0.0, 0.0, 1.0)); }
"#;

fn from_text() -> Builder {
    Pipeline::from_json(TEXT)
        .name("heat")
        .shader("tick.comp", TICK)
        .shader("shared/amount.glsl", AMOUNT)
        .shader("paint.comp", PAINT)
}

fn in_rust() -> Builder {
    Builder::new("heat")
        .parameter("n", 4)
        .time(0.5)
        .frames(2, 3)
        .grid("box", [json!("n"), json!(3), json!(2)], 1, |grid| {
            grid.channel("heat", json!({"type": "float", "background": 1}))
                .channel("flow", json!({"type": "vec3", "background": 0}))
        })
        .image("view", [4, 3], |view| view.channel("color", Element::Rgba8))
        .step(
            Entry::stage("tick", "box")
                .reads(["box.heat"])
                .writes(["box.heat"])
                .argument("amount", 0.25)
                .glsl(TICK),
        )
        .frame(
            Entry::stage("paint", "view")
                .reads(["box.heat"])
                .writes(["view.color"])
                .glsl(PAINT),
        )
        .output("heat", "box.heat", |output| output.key("format", "npy"))
        .shader("shared/amount.glsl", AMOUNT)
}

fn device() -> Option<Device> {
    crate::device_or_skip(&DeviceOptions::default())
}

#[test]
fn text_and_rust_build_equal_documents() {
    let (text, rust) = (from_text().build().unwrap(), in_rust().build().unwrap());
    let document = |pipeline: &Pipeline| -> sastrugi::Value { pipeline.to_json().parse().unwrap() };
    assert_eq!(document(&text), document(&rust));
    assert_eq!(text.fields(), rust.fields());
    // Control: an override is a difference.
    let other = in_rust().set("n=5").build().unwrap();
    assert_ne!(document(&text), document(&other));
    assert_eq!(other.fields()[0].size, [5, 3, 2]);
    text.check_shaders().unwrap();
    rust.check_shaders().unwrap();
}

#[test]
fn text_and_rust_report_equal_mistakes() {
    let text = TEXT.replace(
        r#""reads": ["box.heat"], "writes": ["box"#,
        r#""reads": ["box.heet"], "writes": ["box"#,
    );
    let in_text = Pipeline::from_json(&text).name("heat").build().unwrap_err();
    let problem = &in_text.list[0];
    assert_eq!(problem.pointer, "/step/0/reads/0");
    let column = 1 + text.lines().nth(6).unwrap().find("\"box.heet\"").unwrap();
    let place = problem.place().unwrap();
    assert_eq!(
        (place.source.name.as_str(), place.line_and_column()),
        ("heat.json", (7, column))
    );
    let place = format!("heat.json:7:{column}: ");
    assert!(in_text.to_string().starts_with(&place), "{in_text}");
    assert!(
        in_text.to_string().contains("help: did you mean `box.heat`?"),
        "{in_text}"
    );

    let stage = Entry::stage("other", "box").reads(["box.heet"]).glsl(TICK);
    let in_rust = in_rust().step(stage).build().unwrap_err();
    let problem = &in_rust.list[0];
    assert_eq!(problem.pointer, "/step/1/reads/0");
    let place = problem.place().unwrap();
    // The text of the entry alone, one key to a line.
    assert_eq!(
        (place.source.name.as_str(), place.line_and_column()),
        ("heat/step/-", (5, 5))
    );
}

#[test]
fn build_errors_give_the_reason() {
    let refused = |builder: Builder| builder.build().unwrap_err().to_string();
    assert!(refused(from_text().shader("../out.comp", TICK)).contains("`../out.comp`"));
    assert!(refused(Pipeline::from_json("{")).starts_with("pipeline.json:1:"));
    assert!(refused(Pipeline::from_file("no/such/file.json")).contains("no/such/file.json"));
    assert!(refused(from_text().set("nowhere.at.all=1")).contains("nowhere"));
    let whole = Entry::json("no object");
    assert!(refused(in_rust().step(whole)).contains("step"));
    let unknown = Entry::stage("dim", "box").reads(["box.hat"]).glsl(TICK);
    let problems = in_rust().step(unknown).build().unwrap_err();
    assert_eq!(problems.list[0].stage(), Some("dim"));
}

#[test]
fn shader_errors_name_stage_and_line() {
    let broken = from_text().shader("tick.comp", TICK.replace("box_heat(cell)", "box_heat(cel)"));
    let problems = broken.build().unwrap().check_shaders().unwrap_err();
    assert_eq!(problems.list[0].stage(), Some("tick"));
    let text = problems.to_string();
    assert!(
        text.contains("stage `tick`") && text.contains("in memory:tick.comp:5"),
        "{text}"
    );
    let missing = Pipeline::from_json(TEXT)
        .shader("tick.comp", TICK)
        .shader("paint.comp", PAINT);
    let text = missing.build().unwrap().check_shaders().unwrap_err().to_string();
    assert!(text.contains("shared/amount.glsl"), "{text}");
}

#[test]
fn fields_are_read_and_written_by_name() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let mut simulation = Simulation::new(&device, &in_rust().build()?)?;
    assert_eq!(simulation.read::<f32>("box.heat")?, [1.0; 24]);
    simulation.steps(3)?;
    assert_eq!(simulation.read::<f32>("box.heat")?, [1.75; 24]);
    assert_eq!((simulation.time(), simulation.step_count()), (1.5, 3));
    let flow: Vec<[f32; 3]> = (0..24).map(|i| [i as f32, 0.5, -1.0]).collect();
    simulation.write("box.flow", &flow)?;
    assert_eq!(simulation.read::<[f32; 3]>("box.flow")?, flow);
    assert_eq!(simulation.read::<f32>("box.flow")?, flow.concat());
    assert_eq!(simulation.read::<u8>("box.flow")?.len(), 24 * 12);
    // One step is left of the second frame; heat is 2.0 then.
    simulation.frame()?;
    simulation.frame()?;
    assert_eq!(simulation.step_count(), 4);
    assert_eq!(simulation.read::<[u8; 4]>("view.color")?, [[51, 0, 0, 255]; 12]);
    assert!(simulation.fault()?.is_none());
    Ok(())
}

#[test]
fn mismatched_field_data_is_refused() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let mut simulation = Simulation::new(&device, &in_rust().build()?)?;
    let refused = |result: Result<(), Error>, parts: &[&str]| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Misuse, "{error}");
        let text = error.to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    refused(
        simulation.read::<u32>("box.heat").map(drop),
        &["float", "u32", "use f32"],
    );
    refused(
        simulation.read::<[f32; 4]>("box.flow").map(drop),
        &["vec3", "[f32; 3] or f32"],
    );
    refused(
        simulation.read::<f32>("box.heet").map(drop),
        &["did you mean `box.heat`?"],
    );
    refused(
        simulation.write("box.heat", &[1.0_f32; 23]),
        &["24 values of f32, not 23", "[4, 3, 2]"],
    );
    refused(simulation.write("box.heat", &[1_u32; 24]), &["use f32"]);
    // It is none the worse for that.
    simulation.write("box.heat", &[2.0_f32; 24])?;
    simulation.step()?;
    assert_eq!(simulation.read::<f32>("box.heat")?, [2.25; 24]);
    Ok(())
}

#[test]
fn simulation_continues_from_a_checkpoint_with_the_same_bits() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let pipeline = from_text().build()?;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state.checkpoint");
    let mut simulation = Simulation::new(&device, &pipeline)?;
    simulation.steps(3)?;
    // No stage writes this field.
    let flow: Vec<f32> = (0..72).map(|i| i as f32).collect();
    simulation.write("box.flow", &flow)?;
    simulation.checkpoint(&file)?;
    simulation.steps(2)?;
    let heat: Vec<f32> = simulation.read("box.heat")?;

    let mut other = Simulation::new(&device, &pipeline)?;
    other.restore(&file)?;
    assert_eq!((other.step_count(), other.time()), (3, 1.5));
    assert_eq!(other.read::<f32>("box.flow")?, flow);
    assert_ne!(other.read::<f32>("box.heat")?, heat);
    other.steps(2)?;
    assert_eq!(other.read::<f32>("box.heat")?, heat);
    // The fields that were given also survive a second checkpoint.
    other.checkpoint(&file)?;
    simulation.restore(&file)?;
    assert_eq!(simulation.read::<f32>("box.flow")?, flow);

    let changed = pipeline.with(["run.dt=0.25"])?;
    let mut changed = Simulation::new(&device, &changed)?;
    let error = changed.restore(&file).unwrap_err().to_string();
    assert!(
        error.contains("the pipeline or its parameters have changed"),
        "{error}"
    );
    // It is unchanged.
    changed.step()?;
    assert_eq!(changed.read::<f32>("box.heat")?[0], 1.25);
    Ok(())
}

#[test]
fn drawing_takes_no_step_and_counts_a_frame_once() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let mut simulation = Simulation::new(&device, &from_text().build()?)?;
    let red = |simulation: &mut Simulation| -> Result<u8, Error> {
        simulation.draw()?;
        Ok(simulation.read::<[u8; 4]>("view.color")?[0][0])
    };
    // The heat over 10: 1 at the start, 0.25 more by every step.
    assert_eq!(red(&mut simulation)?, 26);
    simulation.step()?;
    assert_eq!(red(&mut simulation)?, 32);
    assert_eq!(red(&mut simulation)?, 32);
    assert_eq!((simulation.step_count(), simulation.frame_count()), (1, 2));
    // Frames between do not lengthen the next one.
    simulation.frame()?;
    let length = u64::from(simulation.pipeline().steps_per_frame());
    assert_eq!(simulation.step_count(), length);
    simulation.frame()?;
    assert_eq!(simulation.step_count(), 2 * length);
    Ok(())
}

#[test]
fn checked_runs_return_faults() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let outside = TICK.replace("box_heat(cell)", "box_heat(cell + ivec3(0, 0, 1))");
    let outside = outside.replace("void stage", "#pragma reach box_heat 1\nvoid stage");
    let pipeline = from_text().shader("tick.comp", outside).build()?;
    let options = Options {
        checked: true,
        ..Options::default()
    };
    let mut simulation = Simulation::with_options(&device, &pipeline, options)?;
    assert!(simulation.fault()?.is_none());
    simulation.step()?;
    let fault = simulation.fault()?.unwrap();
    assert_eq!(
        (fault.stage.as_deref(), fault.field.as_str()),
        (Some("tick"), "box.heat")
    );
    assert_eq!(fault.index[2], 2);
    assert!(fault.to_string().contains("read `box.heat`"), "{fault}");
    // Control: unchecked stages are not looked at.
    let mut simulation = Simulation::new(&device, &from_text().build()?)?;
    simulation.step()?;
    assert!(simulation.fault()?.is_none());
    Ok(())
}

fn frames(directory: &Path) -> Vec<Vec<u8>> {
    let frame = |number| directory.join(format!("heat.{number:04}.npy"));
    (1..=3)
        .map(|number| std::fs::read(frame(number)).unwrap())
        .collect()
}

#[test]
fn in_memory_run_can_be_rerun_from_its_directory() -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let root = tempfile::tempdir().unwrap();
    let (first, second) = (root.path().join("first"), root.path().join("second"));
    let pipeline = in_rust().build()?;
    assert_eq!(
        Run::new(&pipeline, &first).start(&device, &mut NoObserver)?,
        Ending::Done
    );
    let resolved = Pipeline::from_file(first.join("resolved.json")).build()?;
    Run::new(&resolved, &second).start(&device, &mut NoObserver)?;
    assert_eq!(frames(&first), frames(&second));
    // Control: another amount is another run.
    let other = in_rust().set("step.0.arguments.amount=0.5").build()?;
    Run::new(&other, root.path().join("third")).start(&device, &mut NoObserver)?;
    assert_ne!(frames(&first), frames(&root.path().join("third")));
    Ok(())
}

#[test]
fn rates_count_from_the_end_of_the_first_step() {
    /// The first steps that were reported.
    #[derive(Default)]
    struct Order(Vec<String>);
    impl sastrugi::Observer for Order {
        fn event(&mut self, event: sastrugi::Event) {
            match event {
                sastrugi::Event::Begun { steps } => self.0.push(format!("begun {steps}")),
                sastrugi::Event::Step(step) => self.0.push(format!("step {step}")),
                _ => {}
            }
        }
    }
    if !super::device::is_here() {
        return;
    }
    let device = Device::open(&DeviceOptions::default()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut order = Order::default();
    let pipeline = from_text().build().unwrap();
    Run::new(&pipeline, directory.path())
        .start(&device, &mut order)
        .unwrap();
    assert_eq!(order.0[..4], ["begun 0", "begun 1", "step 1", "step 2"]);
    let manifest = std::fs::read_to_string(directory.path().join("manifest.json")).unwrap();
    let manifest: sastrugi::Value = serde_json::from_str(&manifest).unwrap();
    assert!(manifest["startup"]["first_step_ms"].as_f64().unwrap() > 0.0);
}
