//! `measure paging`: a shell of active blocks moves through a sparse grid much larger than memory, and the same
//! kernels sweep it and a dense grid.

use std::path::PathBuf;
use std::sync::Arc;

use sastrugi::run::{Options, Probe, Simulation, UpdateCost, device_class};
use sastrugi::spec;

use super::common::{Measured, median, open};

/// Measures the updates of a sparse grid, and the cost per cell compared with a dense grid.
#[derive(clap::Args)]
#[command(after_help = "\
Example, of a size for a processor:
  measure paging benches/sparse/shell.json 50 --set cells=512 --set radius=60 --set dense=128")]
pub struct Arguments {
    /// A pipeline with a sparse grid; stages whose names end in _sparse and _dense are compared by cell.
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    #[arg(value_name = "UPDATES", default_value_t = 500)]
    updates: u64,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

/// Waits for binds.
struct Timed;

impl Probe for Timed {
    fn times_binds(&self) -> bool {
        true
    }
}

pub fn measure(arguments: &Arguments) -> Measured {
    let (pipeline, _) = spec::load(&arguments.spec, &arguments.set)?;
    let gpu = open()?;
    let (_, grid) = pipeline
        .sparse_grids()
        .next()
        .ok_or("the pipeline has no sparse grid")?;
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
    let modules = sastrugi::shader::build(&pipeline, device_class(&gpu), &Default::default(), gpu.cache())?;
    let mut simulation = Simulation::probed(
        &gpu,
        pipeline,
        modules,
        Options::PLAIN,
        Arc::new(Timed),
        None,
        None,
    )?;
    let mut costs = Vec::new();
    let (mut active, mut resident) = (Vec::new(), Vec::new());
    for _ in 0..arguments.updates {
        simulation.step(true)?;
        simulation.finish()?;
        let usage = &simulation.pages()[0];
        active.push(usage.active_blocks as f64);
        resident.push(usage.resident_bytes as f64);
        costs.push(usage.last);
    }
    let cells = median(&active) * layout.cells_per_block() as f64;
    println!(
        "active blocks {:.0} (median), {:.3e} cells",
        median(&active),
        cells
    );
    let (least, most) = (fold(&resident, f64::min), fold(&resident, f64::max));
    println!(
        "resident memory {:.0} to {:.0} MiB",
        least / 1048576.0,
        most / 1048576.0
    );
    let of = |label: &str, value: &dyn Fn(&UpdateCost) -> f64| {
        let values: Vec<f64> = costs.iter().map(value).collect();
        let most = fold(&values, f64::max);
        println!("{label:<34} median {:>9.3}  maximum {most:>9.3}", median(&values));
    };
    of("blocks activated", &|cost| cost.activated as f64);
    of("blocks freed", &|cost| cost.deactivated as f64);
    of("bind entries", &|cost| cost.entries as f64);
    of("pages of 64 KiB bound or unbound", &|cost| {
        cost.bound_bytes as f64 / 65536.0
    });
    of("ms to decide and write the changes", &|cost| cost.decide_ms);
    of("ms until the bind is done", &|cost| cost.bind_ms);
    of("us per page", &|cost| {
        1e3 * cost.bind_ms / (cost.bound_bytes as f64 / 65536.0).max(1.0)
    });
    for (stage, samples, ms) in simulation.timing().medians() {
        let name = &simulation.pipeline().stages[stage].name;
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
