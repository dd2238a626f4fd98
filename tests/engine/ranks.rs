//! One simulation over several ranks, here threads that share a device: it has the bits of one rank.

use std::sync::Arc;
use std::thread;

use sastrugi::Ranks;
use sastrugi::gpu::Gpu;
use sastrugi::ir::{CutRequest, Pipeline, Share, Whole};
use sastrugi::plan::compute_halos;
use sastrugi::run::{Extent, NoProbe, Options, Probe, Simulation, device_class};
use sastrugi::shader;

use super::common::{self, simulation::*};

mod balance;
mod changing;
mod controls;
mod faults;
mod files;
mod heights;
mod lattice;
mod levels;
mod liquids;
mod loops;
mod memory;
mod model;
mod neighbours;
mod particles;
mod parts;
mod peers;
mod plans;
mod runs;
mod shipped;
mod signals;
mod snow;
mod sparse;
mod sparse_particles;
mod sparse_sums;
mod stencils;
mod streaming;
mod sums;
mod tiles;
mod transforms;
mod windows;

/// A simulation of a pipeline that is cut already, or alone.
fn start(
    gpu: &Gpu,
    mut pipeline: Pipeline,
    options: Options,
    probe: Arc<dyn Probe>,
    ranks: Option<Ranks>,
) -> Simulation {
    pipeline.instrument(options.checked && options.races, false, options.checked);
    let modules = shader::build(&pipeline, device_class(gpu), &Default::default(), gpu.cache())
        .unwrap_or_else(|problems| panic!("{problems}"));
    Simulation::probed(gpu, pipeline, modules, options, probe, None, ranks)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Runs steps, a frame after every second one, and returns a hash of the state.
fn advanced(mut simulation: Simulation, steps: u64) -> blake3::Hash {
    hash_after(&mut simulation, steps)
}

/// As [`advanced`], for a simulation that is still needed.
fn hash_after(simulation: &mut Simulation, steps: u64) -> blake3::Hash {
    for step in 1..=steps {
        simulation.step(false).unwrap_or_else(|error| panic!("{error}"));
        if step % 2 == 0 {
            simulation.frame(true).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    let pending = simulation.capture(Extent::Visible).unwrap();
    let state = simulation.captured(pending).unwrap();
    simulation.finish().unwrap();
    let fault = simulation.fault().unwrap();
    assert!(fault.is_none(), "{}", fault.unwrap());
    state.hash().unwrap()
}

/// How a test runs a simulation.
#[derive(Clone)]
struct Setting {
    steps: u64,
    options: Options,
    whole: Whole,
    probe: Arc<dyn Probe>,
    /// Change of the shares of stages, which must change the result.
    spoil: fn(&mut Share),
}

impl Setting {
    fn steps(steps: u64) -> Setting {
        Setting {
            steps,
            options: Options::PLAIN,
            whole: Whole::None,
            probe: Arc::new(NoProbe),
            spoil: |_| {},
        }
    }
}

/// The hash after some steps without ranks.
fn hash_alone(gpu: &Gpu, pipeline: &Pipeline, setting: &Setting) -> blake3::Hash {
    let simulation = start(gpu, pipeline.clone(), setting.options, Arc::new(NoProbe), None);
    advanced(simulation, setting.steps)
}

/// The hash after some steps on ranks, as rank 0 has it.
fn hash_on(gpu: &Gpu, pipeline: &Pipeline, parts: [usize; 3], setting: &Setting) -> blake3::Hash {
    let run = |_: &Ranks, simulation| advanced(simulation, setting.steps);
    on_ranks(&[gpu], pipeline, parts, setting, run).swap_remove(0)
}

/// The results of a function on all ranks. They take the devices in turn.
fn on_ranks<T: Send>(
    gpus: &[&Gpu],
    pipeline: &Pipeline,
    parts: [usize; 3],
    setting: &Setting,
    result: impl Fn(&Ranks, Simulation) -> T + Sync,
) -> Vec<T> {
    let count = parts.iter().product();
    let request = CutRequest {
        parts: Some(parts),
        whole: setting.whole.clone(),
    };
    let run = |ranks: Ranks| {
        let mut pipeline = pipeline.clone();
        let rank = ranks.rank();
        (pipeline.cut(&request, rank, count)).unwrap_or_else(|uncut| panic!("{uncut:?}"));
        let cut = pipeline.cut.as_mut().unwrap();
        cut.shares.iter_mut().for_each(setting.spoil);
        compute_halos(&mut pipeline);
        let simulation = start(
            gpus[rank % gpus.len()],
            pipeline,
            setting.options,
            Arc::clone(&setting.probe),
            Some(ranks.clone()),
        );
        result(&ranks, simulation)
    };
    let run = &run;
    thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(count).into_iter())
            .map(|ranks| scope.spawn(move || run(ranks)))
            .collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.collect()
    })
}

/// Several cuts have the hash of one rank.
#[track_caller]
fn assert_equal(gpu: &Gpu, pipeline: &Pipeline, cuts: &[[usize; 3]], setting: &Setting) {
    let alone = hash_alone(gpu, pipeline, setting);
    for parts in cuts {
        assert_eq!(hash_on(gpu, pipeline, *parts, setting), alone, "{parts:?}");
    }
}
