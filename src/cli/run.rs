//! `sastrugi run`: one or several pipelines, each into its directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::gpu::{self, DeviceKind, DeviceReport, Gpu, OpenOptions, Validation};
use crate::ir::report_parameters;
use crate::run::changes::Changes;
use crate::run::{self, Ending, Options, RunError, RunRequest};
use crate::spec;

use super::batch::{self, Job, Shard};
use super::faults::Faults;
use super::follower::Follower;
use super::progress::Progress;
use super::signals::Signals;
use super::sweep;

mod given;

/// Runs pipelines and writes frames and a manifest to disk.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Pipeline files, or names of pipelines that come with the program (see `sastrugi list`).
    #[arg(required_unless_present = "resume", value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// Continues the run in DIR from its newest checkpoint, with its --hash, --checked, --watch,
    /// --full-barriers and --timeout; --frames extends it.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["specs", "out", "set", "sweep", "stage"])]
    resume: Option<PathBuf>,
    /// Writes a checkpoint after every N frames, like run.checkpoint_every in the file.
    #[arg(long, value_name = "N")]
    checkpoint: Option<u64>,
    /// Output directory; of several pipelines each writes into DIR/<pipeline name>
    /// [default: out/<pipeline name>].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replaces the files of an earlier run in the directory, also of another pipeline or with
    /// checkpoints; files that no run wrote stay.
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Number of frames, instead of run.frames of the file.
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    /// Sets a value of the pipeline file by its dotted path; "parameters." may be omitted.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Runs once per value, each into its own directory; several sweeps combine.
    #[arg(long, value_name = "PATH=A,B,C")]
    sweep: Vec<String>,
    /// Repeats the changes of values that `sastrugi view` logged, at the same steps.
    #[arg(long, value_name = "LOG", conflicts_with_all = ["resume", "sweep"])]
    replay: Option<PathBuf>,
    /// Uses another shader (.comp or .spv) for a stage.
    #[arg(long, value_name = "NAME=SHADER")]
    stage: Vec<String>,
    /// Device, by number or part of its name (see `sastrugi devices`).
    #[arg(long, value_name = "N|NAME")]
    device: Option<String>,
    /// Spreads the runs over several devices: "all" GPUs, or a list of numbers or names.
    #[arg(long, value_name = "all|N,N", conflicts_with = "device")]
    devices: Option<String>,
    /// Runs only every n-th run, starting with the i-th: one share of a batch.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Checks every access of every stage, and looks for data races between the elements of a stage;
    /// the first fault stops the run.
    #[arg(long)]
    checked: bool,
    /// With --checked: looks for races in these stages alone, or in none.
    #[arg(long, value_name = "STAGE,STAGE|none", requires = "checked")]
    races: Option<String>,
    /// Runs the workgroups of each stage in an order that this number determines; hashes of a correct
    /// pipeline (--hash) do not depend on it.
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u32>,
    /// Checks every N steps for NaN, infinities and values out of bounds, like run.watch_every.
    #[arg(long, value_name = "N")]
    watch: Option<u32>,
    /// Runs everything on one queue with a full barrier after each command.
    #[arg(long)]
    full_barriers: bool,
    /// Turns on the Khronos validation layer; any message fails the run.
    #[arg(long)]
    validation: bool,
    /// Compiles every shader again and does not use the cache.
    #[arg(long)]
    no_cache: bool,
    /// Prints only errors: no progress, notes and warnings.
    #[arg(long)]
    quiet: bool,
    /// Writes hashes.csv with a hash of the state after every frame, for comparing runs.
    #[arg(long)]
    hash: bool,
    /// Writes a trace of the device queues and the writers for chrome://tracing or ui.perfetto.dev; of
    /// several runs each writes a file of this name into its directory.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Time limit of one submission in seconds, after which the device counts as hung [default: 300].
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    #[command(flatten)]
    faults: Faults,
}

const EXAMPLES: &str = "\
Examples:
  sastrugi run pipelines/snow.json                               frames in out/snow
  sastrugi run pipelines/snow.json --out /tmp/s --frames 60
  sastrugi run pipelines/snow.json --set wind.warm_start=0 --set run.dt=1/60
  sastrugi run pipelines/snow.json --stage smooth_snow=my.comp   another kernel; no rebuild
  sastrugi run a.json b.json --out out                           frames in out/a and out/b
  sastrugi run pipelines/snow.json --checkpoint 50               writes checkpoints
  sastrugi run --resume out/snow --frames 500                    continues from the newest of them
  sastrugi run pipelines/snow.json --sweep wind.period=5,10,20   frames in out/snow/wind.period=5 and so on
  sastrugi run fluids --replay out/fluids-view/input.jsonl       repeats what was done in a window
  sastrugi run a.json --sweep run.seed=1,2,3,4 --devices all         one run at a time on each GPU
  sastrugi run a.json --sweep run.seed=1,2,3,4 --shard 1/2           the first half of them (docs/batches.md)";

pub(super) fn main(arguments: &Arguments) -> u8 {
    let began = Mutex::new(Some(Instant::now()));
    let signals = match Signals::install() {
        Ok(signals) => signals,
        Err(error) => {
            if !arguments.quiet {
                crate::cli::say!("warning: Ctrl-C will end the run at once: {error}");
            }
            Signals::default()
        }
    };
    match all(arguments, &signals, &began) {
        Ok(code) => code,
        Err(error) => {
            report(&error);
            error.exit_code()
        }
    }
}

fn report(error: &RunError) {
    match error {
        RunError::Input(problems) => super::complain(problems),
        other => crate::cli::say!("error: {other}"),
    }
}

/// `began` is the start of the program, for the times of its first run.
fn all(arguments: &Arguments, signals: &Signals, began: &Mutex<Option<Instant>>) -> Result<u8, RunError> {
    let swaps = given::swaps(&arguments.stage)?;
    let changes = match &arguments.replay {
        Some(log) => Some(given::replayed(&arguments.specs, log, arguments.quiet)?),
        None => None,
    };
    let mut overrides = changes
        .as_ref()
        .map_or_else(Vec::new, |changes| changes.overrides.clone());
    overrides.extend(arguments.set.clone());
    overrides.extend(arguments.frames.map(|frames| format!("run.frames={frames}")));
    overrides.extend((arguments.checkpoint).map(|every| format!("run.checkpoint_every={every}")));
    let cache = super::cache::cache(!arguments.no_cache);
    let how = options(arguments);
    // All input is read before anything runs, so that a mistake in the last file is reported at once.
    let mut jobs: Vec<Job> = Vec::new();
    if let Some(directory) = &arguments.resume {
        let path = directory.join("resolved.json");
        let mut overrides = overrides.clone();
        if let Some(every) = arguments.watch {
            overrides.push(format!("run.watch_every={every}"));
        }
        let (pipeline, _) = super::load(&path, &overrides, Some(&cache))?;
        jobs.push(Job {
            file: path,
            pipeline,
            directory: directory.clone(),
            trace: None,
        });
    }
    let specs: Vec<PathBuf> = (arguments.specs.iter())
        .map(|spec| super::shipped::find(spec))
        .collect::<Result<_, _>>()?;
    for path in &specs {
        for case in sweep::cases(&arguments.sweep)? {
            let mut overrides: Vec<String> = overrides.iter().chain(&case.overrides).cloned().collect();
            if let Some(every) = arguments.watch {
                overrides.push(format!("run.watch_every={every}"));
            }
            let (pipeline, _) = super::load(path, &overrides, Some(&cache))?;
            let directory = directory(arguments, &pipeline.name, &case.name);
            jobs.push(Job {
                file: path.clone(),
                pipeline,
                directory,
                trace: None,
            });
        }
    }
    batch::distinct(&jobs)?;
    if let Some(stages) = arguments.races.as_deref().filter(|stages| *stages != "none") {
        for job in &mut jobs {
            given::search_only(&mut job.pipeline, stages)?;
        }
    }
    let mut jobs = match &arguments.shard {
        Some(shard) => shard.of(jobs),
        None => jobs,
    };
    if arguments.resume.is_none() {
        for job in &jobs {
            run::directory::check(&job.directory, &job.file, &job.pipeline.title, arguments.force)?;
        }
    }
    let devices = devices(arguments)?;
    let several = jobs.len() > 1;
    for job in &mut jobs {
        job.trace = match (&arguments.trace, several) {
            (Some(file), true) => file.file_name().map(|name| job.directory.join(name)),
            (file, _) => file.clone(),
        };
    }
    let run = |gpu: &Gpu, job: &Job| {
        let began = began.lock().unwrap_or_else(PoisonError::into_inner).take();
        one(
            arguments,
            how,
            signals,
            devices.len() > 1,
            gpu,
            job,
            &swaps,
            changes.as_ref().map(|changes| (changes, &*overrides)),
            began,
        )
    };
    let open = |device: &Option<String>| {
        Gpu::open(&OpenOptions {
            device: device.clone(),
            validation: match arguments.validation {
                true => Validation::On,
                false => Validation::Off,
            },
            single_queue: how.0.full_barriers,
            cache: cache.clone(),
            unheard: Some(Arc::new(|message| crate::cli::say!("{message}"))),
            ..OpenOptions::default()
        })
    };
    batch::run(&jobs, &devices, open, run, report)
}

/// The devices to run on, each `None` for the best one.
fn devices(arguments: &Arguments) -> Result<Vec<Option<String>>, RunError> {
    match arguments.devices.as_deref() {
        None => Ok(vec![arguments.device.clone()]),
        Some("all") => {
            let found = gpu::devices()?;
            let accepted: Vec<&DeviceReport> =
                found.iter().filter(|device| device.refused.is_empty()).collect();
            // A driver that runs on the processor would only slow down the runs on GPUs.
            let gpus = accepted.iter().filter(|device| device.kind != DeviceKind::Cpu);
            let chosen: Vec<_> = gpus.map(|device| Some(device.index.to_string())).collect();
            Ok(match chosen.is_empty() {
                true => vec![None],
                false => chosen,
            })
        }
        Some(list) => Ok(list.split(',').map(|device| Some(device.to_string())).collect()),
    }
}

/// How stages are run and whether states are hashed: as it is given, and for a run that is resumed as it was.
fn options(arguments: &Arguments) -> (Options, bool) {
    let earlier = arguments
        .resume
        .as_ref()
        .and_then(|directory| run::options_of(directory));
    let (earlier, hash) = earlier.unwrap_or((Options::PLAIN, false));
    let options = Options {
        checked: arguments.checked || earlier.checked,
        races: match arguments.races.as_deref() {
            None => earlier.races,
            Some(stages) => stages != "none",
        },
        shuffle: arguments.shuffle.or(earlier.shuffle),
        full_barriers: arguments.full_barriers || earlier.full_barriers,
        timeout: arguments.timeout.map_or(earlier.timeout, Duration::from_secs),
    };
    (options, arguments.hash || hash)
}

#[allow(
    clippy::too_many_arguments,
    reason = "what all runs of a batch share, and what belongs to one"
)]
fn one(
    arguments: &Arguments,
    (options, hash): (Options, bool),
    signals: &Signals,
    beside_others: bool,
    gpu: &Gpu,
    job: &Job,
    swaps: &BTreeMap<String, String>,
    changes: Option<(&Changes, &[String])>,
    began: Option<Instant>,
) -> Result<Ending, RunError> {
    let Job {
        file,
        pipeline,
        directory,
        trace,
    } = job;
    if !arguments.quiet {
        crate::cli::say!(
            "{} on {}, into {}",
            pipeline.title,
            gpu.report().name,
            directory.display()
        );
        report_parameters(&pipeline.parameters)
            .iter()
            .for_each(|text| crate::cli::say!("{text}"));
    }
    let progress = match beside_others {
        // Several bars would write over each other.
        true => Progress::lines(pipeline, arguments.quiet, &directory.display().to_string()),
        false => Progress::new(pipeline, arguments.quiet),
    };
    let change = |step: u64, since: Option<u64>| {
        let (changes, overrides) = changes?;
        let mut all = overrides.to_vec();
        all.extend(changes.up_to(step, since)?);
        Some(spec::load(file, &all).map(|(pipeline, _)| pipeline))
    };
    let run = RunRequest {
        changes: changes.is_some().then_some(&change),
        began,
        options,
        resume: arguments.resume.is_some(),
        force: arguments.force,
        hash,
        trace: trace.as_deref(),
        probe: Arc::new(arguments.faults),
        ..RunRequest::new(gpu, pipeline.clone(), file, directory, swaps)
    };
    let ending = run::run(
        run,
        &mut Follower {
            progress,
            signals,
            quiet: arguments.quiet,
        },
    );
    let messages = gpu.take_validation_messages();
    if !messages.is_empty() {
        return Err(RunError::Failed(format!(
            "the validation layer reported errors:\n{}",
            messages.join("\n")
        )));
    }
    let ending = ending?;
    if !arguments.quiet {
        match ending {
            Ending::Done => crate::cli::say!("done: frames and manifest.json are in {}", directory.display()),
            Ending::Interrupted => crate::cli::say!(
                "interrupted: complete frames and manifest.json are in {}",
                directory.display()
            ),
        }
    }
    Ok(ending)
}

/// Output directory of a pipeline: DIR, or DIR/<pipeline name> if there are several, and in it the case of the sweep.
fn directory(arguments: &Arguments, name: &str, case: &str) -> PathBuf {
    let base = match &arguments.out {
        Some(out) if arguments.specs.len() > 1 => out.join(name),
        Some(out) => out.clone(),
        None => Path::new("out").join(name),
    };
    if case.is_empty() { base } else { base.join(case) }
}
