//! `sastrugi run`: one or several pipelines, each into its directory.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sastrugi::batch::{self, Shard};
use sastrugi::{Changes, Device, Ending, Error, ErrorKind, Lowered, Options, Run, shipped};

use super::faults::Faults;
use super::follower::Follower;
use super::progress::Progress;
use super::signals::{INTERRUPTED, Signals};

mod cut;
mod devices;
mod given;
mod launch;
#[cfg(feature = "mpi")]
mod ranked;

pub(super) use cut::Cut;

/// Runs pipelines and writes frames and a manifest to disk.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Pipeline files, or names of pipelines that come with the program (see `sastrugi list`).
    #[arg(required_unless_present = "resume", value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// Continues the run in DIR from its newest checkpoint, with its --hash, --checked, --watch,
    /// --full-barriers and --timeout; --frames extends it.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["specs", "out", "sweep", "stage"])]
    resume: Option<PathBuf>,
    /// Completes a batch that was interrupted, with the same command: skips runs that are done, resumes
    /// those with checkpoints, and starts all others.
    #[arg(long = "continue", conflicts_with_all = ["resume", "force", "replay"])]
    carry_on: bool,
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
    /// Sets a value of the pipeline file by its dotted path; "parameters." may be omitted, and null
    /// removes it. With --resume, only what does not affect steps: outputs, frames, checkpoints.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Runs N independent copies of the pipeline in the same dispatches, with seeds that count up from
    /// run.seed; the outputs of each go into DIR/world-0000 and so on (docs/worlds.md).
    #[arg(long, value_name = "N")]
    worlds: Option<u32>,
    /// Runs once per value, each into its own directory; several sweeps combine. A..B are whole numbers,
    /// A:B:STEP numbers in steps, both with both ends.
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
    /// Uses devices as if they lacked limits, features or extensions, by their names in Vulkan, with commas between them:
    /// "maxComputeSharedMemorySize=16384,shaderInt16,VK_EXT_conditional_rendering" (docs/devices.md).
    #[arg(long, value_name = "LIST")]
    lower: Option<Lowered>,
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
    /// Time limit of one submission in seconds, after which the device counts as hung; also of an ffmpeg without progress
    /// [default: 300].
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    #[command(flatten)]
    cut: Cut,
    /// With several ranks: moves their parts between frames if their steps take different times; results are the same.
    #[arg(long)]
    balance: bool,
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
  sastrugi run pipelines/snow.json --sweep wind.period=5:20:5 --continue   what is missing of a sweep
  sastrugi run fluids --replay out/fluids-view/input.jsonl       repeats what was done in a window
  sastrugi run a.json --sweep run.seed=1,2,3,4 --devices all         one run at a time on each GPU
  sastrugi run a.json --sweep run.seed=1,2,3,4 --shard 1/2           the first half of them (docs/batches.md)
  sastrugi run smoke --worlds 16                                 16 worlds, each with its own seed
  sastrugi run lbm_bunny --ranks 4                               one simulation on 4 GPUs (docs/ranks.md)";

pub(super) fn main(arguments: &Arguments) -> u8 {
    let began = Mutex::new(Some(Instant::now()));
    let result = match (launch::processes(), arguments.cut.ranks) {
        (1, Some(ranks)) if ranks > 1 => launch::main(arguments, ranks as usize),
        (1, _) => {
            let checked = cut::check_alone(arguments).map_err(Error::from);
            checked.and_then(|()| alone(arguments, &began))
        }
        // Each process runs its own share.
        (_, None) if arguments.shard.is_some() => alone(arguments, &began),
        (processes, _) => among_ranks(arguments, processes),
    };
    result.unwrap_or_else(|error| {
        super::report(&error);
        super::exit_code(&error)
    })
}

/// Runs as one of several ranks.
#[cfg(feature = "mpi")]
fn among_ranks(arguments: &Arguments, _: usize) -> Result<u8, Error> {
    Ok(ranked::main(arguments, &signals(arguments)))
}

#[cfg(not(feature = "mpi"))]
fn among_ranks(_: &Arguments, processes: usize) -> Result<u8, Error> {
    Err(launch::without_mpi(Some(processes)).into())
}

/// Handles signals from now on.
fn signals(arguments: &Arguments) -> Signals {
    Signals::install().unwrap_or_else(|error| {
        if !arguments.quiet {
            crate::say!("warning: Ctrl-C will end the run at once: {error}");
        }
        Signals::default()
    })
}

/// Runs everything in this process. `began` is the start of the program, for the times of its first run.
fn alone(arguments: &Arguments, began: &Mutex<Option<Instant>>) -> Result<u8, Error> {
    let signals = &signals(arguments);
    let mut runs = runs(arguments)?;
    batch::check_directories(&runs)?;
    if let Some(shard) = &arguments.shard {
        let all = runs.len();
        runs = shard.of(runs);
        if runs.is_empty() && !arguments.quiet {
            crate::say!("nothing to do: the share {shard} of {all} runs is empty");
        }
    }
    if arguments.carry_on {
        let options = |directory: &Path| options(arguments, Some(directory));
        runs = given::unfinished(runs, options, arguments.quiet);
    }
    runs.iter().try_for_each(Run::check)?;
    if let Some(file) = &arguments.trace {
        let several = runs.len() > 1;
        let traced = runs.into_iter().map(|run| match (several, file.file_name()) {
            (false, _) => run.trace(file),
            (true, Some(name)) => {
                let file = run.directory().join(name);
                run.trace(file)
            }
            (true, None) => run,
        });
        runs = traced.collect();
    }
    let devices = devices::chosen(arguments)?;
    let start = |device: &Device, run: &Run| {
        let began = began.lock().unwrap_or_else(PoisonError::into_inner).take();
        match began {
            Some(began) => one(
                arguments,
                signals,
                devices.len() > 1,
                device,
                &run.clone().began(began),
            ),
            None => one(arguments, signals, devices.len() > 1, device, run),
        }
    };
    let failed = |run: &Run, error: &Error| {
        if runs.len() > 1 {
            crate::say!("{}:", run.directory().display());
        }
        super::report(error);
    };
    let outcome = batch::run(&runs, &devices, start, failed)?;
    if runs.len() > 1 {
        let failed = outcome.failed.iter().map(|(number, _)| *number).collect();
        for (numbers, what) in [(failed, "failed"), (outcome.not_run.clone(), "never began")] {
            summarize(&runs, numbers, what);
        }
    }
    let errors = || outcome.failed.iter().map(|(_, error)| error);
    let code = if outcome.interrupted {
        INTERRUPTED
    } else {
        errors().map(super::exit_code).max().unwrap_or(0)
    };
    if errors().any(|error| error.kind() == ErrorKind::Timeout) {
        // The device that hangs cannot be closed any more.
        signal_hook::low_level::exit(i32::from(code));
    }
    Ok(code)
}

/// Names the runs of a batch that share an outcome.
fn summarize(runs: &[Run], numbers: Vec<usize>, what: &str) {
    if numbers.is_empty() {
        return;
    }
    let names = numbers
        .iter()
        .map(|number| runs[*number].directory().display().to_string());
    let names = names.collect::<Vec<_>>().join(", ");
    crate::say!("{} of {} runs {what}: {names}", numbers.len(), runs.len());
}

/// Every run that is asked for. All input is read before anything runs, so that a mistake in the last file is reported at
/// once.
fn runs(arguments: &Arguments) -> Result<Vec<Run>, Error> {
    let changes = match &arguments.replay {
        Some(log) => Some(given::replayed(&arguments.specs, log, arguments.quiet)?),
        None => None,
    };
    let swaps = given::swaps(&arguments.stage)?;
    let stated = changes
        .iter()
        .flat_map(|changes: &Changes| changes.overrides.clone());
    let stated = stated.chain(arguments.set.clone());
    let frames = arguments.frames.map(|frames| format!("run.frames={frames}"));
    let checkpoint = (arguments.checkpoint).map(|every| format!("run.checkpoint_every={every}"));
    let worlds = arguments.worlds.map(|count| format!("worlds.count={count}"));
    let overrides: Vec<String> = stated.chain(frames).chain(checkpoint).chain(worlds).collect();
    let watch = arguments.watch.map(|every| format!("run.watch_every={every}"));
    let read = |path: &Path, of_case: &[String]| -> Result<sastrugi::Pipeline, Error> {
        let overrides: Vec<String> = overrides.iter().chain(of_case).chain(&watch).cloned().collect();
        let builder = super::cached(super::pipeline(path, &overrides)?, !arguments.no_cache);
        let mut pipeline = builder.report_shaders().build()?;
        for (stage, shader) in &swaps {
            pipeline.swap_shader(stage, shader);
        }
        if let Some(stages) = arguments.races.as_deref().filter(|stages| *stages != "none") {
            given::search_only(&mut pipeline, stages)?;
        }
        Ok(pipeline)
    };
    let mut runs = Vec::new();
    if let Some(directory) = &arguments.resume {
        let pipeline = read(&directory.join("resolved.json"), &[])?;
        runs.push(Run::new(&pipeline, directory).resume());
    }
    let specs: Vec<PathBuf> = (arguments.specs.iter())
        .map(|spec| shipped::find(spec))
        .collect::<Result<_, _>>()?;
    for path in &specs {
        for case in batch::cases(&arguments.sweep)? {
            let pipeline = read(path, &case.overrides)?;
            let directory = directory(arguments, pipeline.name(), &case.name);
            runs.push(Run::new(&pipeline, directory));
        }
    }
    if let Some(directory) = &arguments.resume
        && Run::options_in(directory).is_none()
        && !arguments.quiet
    {
        given::warn_of_unknown_options(directory);
    }
    let (options, hash) = options(arguments, arguments.resume.as_deref());
    if let (Some(changes), [run]) = (&changes, &runs[..]) {
        given::check_replayed(changes, run.pipeline(), arguments.quiet)?;
    }
    let mut changes = changes;
    let set_up = runs.into_iter().map(|run| {
        let mut run = run.options(options).disturb(arguments.faults.disturbance());
        if hash {
            run = run.hash();
        }
        if arguments.force {
            run = run.force();
        }
        // A replay is of one run.
        match changes.take() {
            Some(changes) => run.replay(changes),
            None => run,
        }
    });
    Ok(set_up.collect())
}

/// The options of stages, and true if states are hashed. A run that resumes in a directory keeps its earlier options.
fn options(arguments: &Arguments, resumed: Option<&Path>) -> (Options, bool) {
    let earlier = resumed.and_then(Run::options_in);
    let (earlier, hash) = earlier.unwrap_or((Options::PLAIN, false));
    let options = Options {
        checked: arguments.checked || earlier.checked,
        races: match arguments.races.as_deref() {
            None => earlier.races,
            Some(stages) => stages != "none",
        },
        shuffle: arguments.shuffle.or(earlier.shuffle),
        full_barriers: arguments.full_barriers || earlier.full_barriers,
        share: Options::PLAIN.share,
        timeout: arguments.timeout.map_or(earlier.timeout, Duration::from_secs),
    };
    (options, arguments.hash || hash)
}

fn one(
    arguments: &Arguments,
    signals: &Signals,
    beside_others: bool,
    device: &Device,
    run: &Run,
) -> Result<Ending, Error> {
    let (pipeline, directory) = (run.pipeline(), run.directory().display());
    if !arguments.quiet {
        crate::say!("{} on {}, into {directory}", pipeline.title(), device.info().name);
        pipeline.notes().iter().for_each(|text| crate::say!("{text}"));
    }
    let progress = if beside_others {
        // Several bars would write over each other.
        Progress::lines(pipeline, arguments.quiet, &directory.to_string())
    } else {
        Progress::new(pipeline, arguments.quiet)
    };
    let mut follower = Follower {
        progress,
        signals,
        quiet: arguments.quiet,
    };
    let ending = device.validated(run.start(device, &mut follower))?;
    if !arguments.quiet {
        match ending {
            Ending::Done => crate::say!("done: frames and manifest.json are in {directory}"),
            Ending::Interrupted => {
                crate::say!("interrupted: complete frames and manifest.json are in {directory}");
            }
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
