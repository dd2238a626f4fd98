//! What paging costs: a shell of active blocks moves through a sparse grid much larger than memory, and the same
//! kernels sweep it and a dense grid.
//!
//!     cargo run --release --example shell -- [UPDATES] [--set PATH=VALUE ...]
//!
//! The pipeline is benches/sparse/shell.json; `--set cells=512 --set radius=60 --set dense=128` suits a processor.

use std::error::Error;
use std::path::Path;

use sastrugi::gpu::{Gpu, OpenOptions};
use sastrugi::run::{Hooks, Options, Simulation};
use sastrugi::spec;

fn main() -> Result<(), Box<dyn Error>> {
    let mut overrides = Vec::new();
    let mut updates = 500;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--set" => overrides.extend(arguments.next()),
            number => updates = number.parse()?,
        }
    }
    let (pipeline, _) = spec::load(Path::new("benches/sparse/shell.json"), &overrides)?;
    let gpu = Gpu::open(&OpenOptions::default())?;
    println!("device: {}", gpu.report().name);
    let (_, grid) = pipeline.sparse_grids().next().ok_or("no sparse grid")?;
    let layout = grid.layout.clone();
    println!(
        "{:?} cells in blocks of {:?} cells ({} bytes), {:.1} GiB of addresses",
        layout.cells,
        layout.block_log2.map(|log2| 1 << log2),
        layout.block_bytes,
        layout.reserved_bytes() as f64 / f64::from(1 << 30)
    );
    let dense_cells = pipeline
        .resources
        .iter()
        .find(|r| r.name == "box")
        .map_or(0, |r| r.elements());
    let hooks = Hooks {
        time_binds: true,
        ..Hooks::default()
    };
    let options = Options {
        hooks,
        ..Options::default()
    };
    let mut simulation = Simulation::new(&gpu, pipeline, &Default::default(), options)?;
    let mut costs = Vec::new();
    let (mut active, mut resident) = (Vec::new(), Vec::new());
    for _ in 0..updates {
        simulation.step(true)?;
        simulation.finish()?;
        let usage = &simulation.pages()[0];
        active.push(usage.active_blocks as f64);
        resident.push(usage.resident_bytes as f64);
        costs.push(usage.last);
    }
    let cells = median(&mut active) * layout.cells_per_block() as f64;
    println!(
        "active blocks {:.0} (median), {:.3e} cells",
        median(&mut active),
        cells
    );
    let (least, most) = (fold(&resident, f64::min), fold(&resident, f64::max));
    println!(
        "resident memory {:.0} to {:.0} MiB",
        least / 1048576.0,
        most / 1048576.0
    );
    let of = |label: &str, value: &dyn Fn(&sastrugi::run::UpdateCost) -> f64| {
        let mut values: Vec<f64> = costs.iter().map(value).collect();
        let most = fold(&values, f64::max);
        println!(
            "{label:<34} median {:>9.3}  most {most:>9.3}",
            median(&mut values)
        );
    };
    of("blocks activated", &|cost| cost.activated as f64);
    of("blocks freed", &|cost| cost.deactivated as f64);
    of("bind entries", &|cost| cost.entries as f64);
    of("pages of 64 KiB bound or unbound", &|cost| {
        cost.bound_bytes as f64 / 65536.0
    });
    of("ms to decide and hand over", &|cost| cost.decide_ms);
    of("ms until the bind was done", &|cost| cost.bind_ms);
    of("us per page", &|cost| {
        1e3 * cost.bind_ms / (cost.bound_bytes as f64 / 65536.0).max(1.0)
    });
    for (stage, samples, ms) in simulation.timing.medians() {
        let name = &simulation.pipeline.stages[stage].name;
        let cells = match name.rsplit_once('_') {
            Some((_, "sparse")) => cells,
            Some((_, "dense")) => dense_cells as f64,
            _ => 0.0,
        };
        let per_cell = if cells > 0.0 {
            format!("{:>9.4} ns per cell", 1e6 * ms / cells)
        } else {
            String::new()
        };
        println!("{name:<18} {ms:>9.4} ms {per_cell}  ({samples} samples)");
    }
    Ok(())
}

fn fold(values: &[f64], with: fn(f64, f64) -> f64) -> f64 {
    values.iter().copied().reduce(with).unwrap_or(0.0)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
