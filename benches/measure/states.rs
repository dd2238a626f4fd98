//! `measure states`: compares two devices stage by stage.
//!
//! `dump SPEC DIR STEPS` runs STEPS steps, then writes the state before and after every entry of the step list, each
//! run alone. `compare SPEC DIR` loads each state before, runs that entry here, and prints how far the result is
//! from the dumped one: the largest and the mean difference of every field that the stage writes, absolute and in
//! units of the field's largest value. Whole runs of chaotic systems drift apart; single stages must not.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use sastrugi::ir::FieldId;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec;

use super::common::{Measured, open};

/// Compares the results of the stages of a pipeline on two devices.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  measure states dump pipelines/snow.json /tmp/states 20 --set flakes.count=4096       on one device
  measure states compare pipelines/snow.json /tmp/states --set flakes.count=4096       on the other")]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE", global = true)]
    set: Vec<String>,
}

#[derive(clap::Subcommand)]
enum What {
    /// Writes the state before and after every entry of the step list.
    Dump {
        spec: PathBuf,
        directory: PathBuf,
        /// Number of steps before the dump.
        steps: u64,
    },
    /// Runs every entry on the dumped states and compares the results.
    Compare { spec: PathBuf, directory: PathBuf },
}

pub fn measure(arguments: &Arguments) -> Measured {
    let load = |path: &Path| spec::load(path, &arguments.set);
    match &arguments.what {
        What::Dump {
            spec,
            directory,
            steps,
        } => dump(&load(spec)?.0, directory, *steps),
        What::Compare { spec, directory } => compare(&load(spec)?.0, directory),
    }
}

fn simulation(pipeline: &sastrugi::ir::Pipeline) -> Result<Simulation, Box<dyn Error>> {
    let gpu = open()?;
    let swaps = BTreeMap::new();
    Ok(Simulation::new(&gpu, pipeline.clone(), &swaps, Options::PLAIN)?)
}

/// Fields that the entry reads or writes.
fn touched(pipeline: &sastrugi::ir::Pipeline, entry: usize) -> BTreeSet<FieldId> {
    let stage = &pipeline.stages[pipeline.step[entry].stage];
    stage.reads().iter().chain(stage.writes()).copied().collect()
}

fn file(directory: &Path, entry: usize, when: &str, field: &str) -> PathBuf {
    directory.join(format!("{entry:03}.{when}.{field}.bin"))
}

fn dump(pipeline: &sastrugi::ir::Pipeline, directory: &Path, steps: u64) -> Measured {
    std::fs::create_dir_all(directory)?;
    let mut simulation = simulation(pipeline)?;
    for _ in 0..steps {
        simulation.step(false)?;
    }
    for entry in 0..pipeline.step.len() {
        let fields = touched(pipeline, entry);
        for field in &fields {
            let name = &pipeline.fields[*field].name;
            std::fs::write(file(directory, entry, "before", name), simulation.read(name)?)?;
        }
        simulation.run_alone(entry)?;
        let stage = &pipeline.stages[pipeline.step[entry].stage];
        for field in stage.writes() {
            let name = &pipeline.fields[*field].name;
            std::fs::write(file(directory, entry, "after", name), simulation.read(name)?)?;
        }
    }
    std::fs::write(directory.join("steps"), steps.to_string())?;
    Ok(())
}

fn compare(pipeline: &sastrugi::ir::Pipeline, directory: &Path) -> Measured {
    let steps: u64 = std::fs::read_to_string(directory.join("steps"))?.parse()?;
    let mut simulation = simulation(pipeline)?;
    // Advance the clock to the dumped step.
    for _ in 0..steps {
        simulation.step(false)?;
    }
    println!(
        "{:<20} {:<18} {:>12} {:>12} {:>12} {:>10}",
        "stage", "field", "max |diff|", "mean |diff|", "max / range", "differing"
    );
    for entry in 0..pipeline.step.len() {
        for field in touched(pipeline, entry) {
            let name = &pipeline.fields[field].name;
            simulation.write(name, &std::fs::read(file(directory, entry, "before", name))?)?;
        }
        simulation.run_alone(entry)?;
        let stage = &pipeline.stages[pipeline.step[entry].stage];
        for field in stage.writes() {
            let field = &pipeline.fields[*field];
            let wanted = values(
                field,
                &std::fs::read(file(directory, entry, "after", &field.name))?,
            );
            let got = values(field, &simulation.read(&field.name)?);
            let differences: Vec<f64> = wanted.iter().zip(&got).map(|(a, b)| (a - b).abs()).collect();
            let largest = differences.iter().copied().fold(0.0, f64::max);
            let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
            let range = wanted.iter().copied().map(f64::abs).fold(0.0, f64::max);
            let differing = differences
                .iter()
                .filter(|difference| **difference != 0.0)
                .count();
            println!(
                "{:<20} {:<18} {largest:>12.3e} {mean:>12.3e} {:>12.3e} {differing:>10}",
                stage.name,
                field.name,
                if range > 0.0 { largest / range } else { 0.0 }
            );
        }
    }
    Ok(())
}

fn values(field: &sastrugi::ir::Field, bytes: &[u8]) -> Vec<f64> {
    field.element.scalar().numbers(bytes).collect()
}
