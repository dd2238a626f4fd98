//! The state of a simulation, taken and put back.

use std::collections::BTreeMap;

use sastrugi::gpu::Gpu;
use sastrugi::ir::Pipeline;
use sastrugi::run::{Extent, Options, Simulation, SimulationState};
use sastrugi::spec;

use super::common;

const SMALL: [&str; 8] = [
    "grids.air.cells=[48, 50, 16]",
    "grids.air.cell_size=23",
    "flakes.count=2048",
    "grids.ground.vertices=[64, 64]",
    "draw.size=[64, 36]",
    "run.steps_per_frame=9",
    "air.layers_above=40",
    "wind.period=0.5",
];

/// The snow pipeline, cut down, with its air paged in a way and its flakes in rings of some length.
fn snow(paging: &str, ring: u32) -> Pipeline {
    let path = crate::common::simulation::root().join("pipelines/snow.json");
    let own = [
        format!("grids.air.sparse.paging={paging}"),
        format!("particles.flakes.ring={ring}"),
    ];
    let overrides: Vec<String> = SMALL.iter().map(|set| set.to_string()).chain(own).collect();
    spec::load(&path, &overrides).unwrap().0
}

fn start(gpu: &Gpu, pipeline: &Pipeline) -> Simulation {
    Simulation::new(gpu, pipeline.clone(), &BTreeMap::new(), Options::default()).unwrap()
}

fn go_on(gpu: &Gpu, like: &Simulation, state: &SimulationState) -> Simulation {
    let pipeline = Pipeline::clone(like.pipeline());
    Simulation::resume(gpu, pipeline, like.modules().to_vec(), Options::default(), state).unwrap()
}

fn run(simulation: &mut Simulation, steps: u64) {
    for _ in 0..steps {
        simulation.step(false).unwrap();
        if simulation.steps().is_multiple_of(9) {
            simulation.frame(true).unwrap();
        }
    }
}

fn take(simulation: &mut Simulation, extent: Extent) -> SimulationState {
    let pending = simulation.capture(extent).unwrap();
    simulation.captured(pending).unwrap()
}

fn hash(simulation: &mut Simulation) -> String {
    let state = take(simulation, Extent::Visible);
    state.hash().unwrap().to_hex().to_string()
}

#[test]
fn resume_is_bitwise_exact_in_every_storage() {
    let Some(gpu) = common::gpu() else { return };
    let mut visible = Vec::new();
    let mut sweep = common::sweep(1, 3);
    for (paging, ring) in [("table", 3), ("dense", 1), ("sparse", 2)] {
        if sweep.skips() {
            continue;
        }
        let pipeline = snow(paging, ring);
        let mut whole = start(&gpu, &pipeline);
        run(&mut whole, 10);
        visible.push(hash(&mut whole));
        // Between two updates of the air, with requests under way.
        run(&mut whole, 7);
        let pending = whole.capture(Extent::Everything).unwrap();
        // Steps go on before anybody waits for the state.
        run(&mut whole, 14);
        let state = whole.captured(pending).unwrap();
        let expected = hash(&mut whole);
        let mut resumed = go_on(&gpu, &whole, &state);
        assert_eq!((resumed.steps(), resumed.frames()), (17, 1));
        run(&mut resumed, 14);
        assert_eq!(hash(&mut resumed), expected, "{paging} paging, rings of {ring}");
        let (again, before) = (
            take(&mut resumed, Extent::Everything),
            take(&mut whole, Extent::Everything),
        );
        assert_eq!(again.hash().unwrap(), before.hash().unwrap());
        // Controls: another step, and a state with one bit changed, are seen.
        run(&mut resumed, 1);
        assert_ne!(hash(&mut resumed), expected);
        if paging != "table" {
            continue;
        }
        let mut changed = go_on(&gpu, &whole, &flipped(&state, "flakes.position[0]"));
        let position = changed.read("flakes.position").unwrap();
        run(&mut changed, 14);
        assert_ne!(hash(&mut changed), expected, "{} bytes", position.len());
    }
    assert!(!visible.is_empty());
    assert!(visible.iter().all(|hash| *hash == visible[0]), "after 10 steps");
}

/// A copy of a state with the lowest bit of a part's middle changed in every copy of the ring.
fn flipped(state: &SimulationState, name: &str) -> SimulationState {
    use sastrugi::run::state::{PartContents, StatePart};
    let field = name.split('[').next().unwrap();
    let parts = state.parts.iter().map(|part| {
        let mut bytes = part.bytes().unwrap().to_vec();
        if part.name.starts_with(field) {
            let middle = bytes.len() / 8 * 4;
            bytes[middle] ^= 1;
        }
        StatePart {
            live: part.live.clone(),
            name: part.name.clone(),
            contents: PartContents::Bytes(bytes),
        }
    });
    SimulationState {
        steps: state.steps,
        frames: state.frames,
        grids: state.grids.clone(),
        parts: parts.collect(),
    }
}

#[test]
fn mismatched_states_are_refused() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = snow("table", 2);
    let mut simulation = start(&gpu, &pipeline);
    run(&mut simulation, 3);
    let mut state = take(&mut simulation, Extent::Everything);
    let other = |state: &SimulationState, pipeline: &Pipeline| {
        let modules = simulation.modules().to_vec();
        let result = Simulation::resume(&gpu, pipeline.clone(), modules, Options::default(), state);
        result.err().expect("it does not fit").to_string()
    };
    let told = other(&state, &snow("dense", 2));
    assert!(told.contains("table paging") && told.contains("dense"), "{told}");
    let told = other(&state, &snow("table", 3));
    assert!(told.contains("[2]"), "{told}");
    state.parts.retain(|part| !part.name.starts_with("air blocks"));
    let told = other(&state, &pipeline);
    assert!(told.contains("air blocks 0"), "{told}");
}
