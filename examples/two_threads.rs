//! Two simulations on one device, each in its own thread, compute bitwise the same results as alone.
//!
//!     cargo run --example two_threads -- [STEPS]

use std::error::Error;
use std::thread;

use sastrugi::{Builder, Device, DeviceOptions, Entry, Pipeline, Problems, Simulation, json};

/// A random walk with counter-based random numbers.
const WALK: &str = r#"
    #version 460
    #include "stage.glsl"
    #include "lib/random.glsl"
    void stage(uint i) {
        vec4 random = random4(i, clock.step, 0u, clock.seed);
        set_walkers_position(i, walkers_position(i) + 2.0 * random.xyz - 1.0);
    }
"#;

fn walk(seed: u32) -> Result<Pipeline, Problems> {
    Builder::new("walk")
        .time(1)
        .key(&["run", "seed"], seed)
        .particles("walkers", 100_000, |set| {
            set.attribute("position", json!({"type": "vec3", "background": 0}))
        })
        .step(
            Entry::stage("walk", "walkers")
                .reads(["walkers.position"])
                .writes(["walkers.position"])
                .glsl(WALK),
        )
        .build()
}

fn main() -> Result<(), Box<dyn Error>> {
    let steps: u64 = std::env::args().nth(1).map_or(Ok(200), |text| text.parse())?;
    let device = Device::open(&DeviceOptions::default())?;
    println!("on {}", device.info().name);
    let seeds = [1, 2];
    let mut alone = Vec::new();
    for seed in seeds {
        alone.push(positions(Simulation::new(&device, &walk(seed)?)?, steps)?);
    }
    let mut threads = Vec::new();
    for seed in seeds {
        // The simulation is created here and moved to its thread.
        let simulation = Simulation::new(&device, &walk(seed)?)?;
        threads.push(thread::spawn(move || positions(simulation, steps)));
    }
    let mut together = Vec::new();
    for thread in threads {
        together.push(thread.join().map_err(|_| "a thread panicked")??);
    }
    let same = |a: &[[f32; 3]], b: &[[f32; 3]]| {
        a.iter()
            .flatten()
            .map(|x| x.to_bits())
            .eq(b.iter().flatten().map(|x| x.to_bits()))
    };
    for ((alone, together), seed) in alone.iter().zip(&together).zip(seeds) {
        if !same(alone, together) {
            return Err(format!("seed {seed}: the walk is another beside a second one").into());
        }
        let mean = alone.iter().map(|p| p[0] * p[0]).sum::<f32>() / alone.len() as f32;
        println!("seed {seed}: the same alone and beside another; mean square of x {mean:.2}");
    }
    // Control: the comparison detects a difference.
    if same(&alone[0], &alone[1]) {
        Err("two seeds give the same walk".into())
    } else {
        Ok(())
    }
}

fn positions(mut simulation: Simulation, steps: u64) -> Result<Vec<[f32; 3]>, sastrugi::Error> {
    simulation.steps(steps)?;
    simulation.read("walkers.position")
}
