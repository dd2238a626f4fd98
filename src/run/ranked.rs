//! A run over several ranks: it is cut, all ranks must run the same, and all learn of the failure of one.

use crate::ir::{Uncut, Whole};
use crate::output::Mark;
use crate::plan::compute_halos;
use crate::problem::{Problem, Problems};
use crate::ranks::{Agreed, Failure, Ranks};

use super::balance::Measured;
use super::checkpoint::RunIdentity;
use super::error::RunError;
use super::observer::{Event, Observer};
use super::report::hash_of;
use super::request::RunRequest;

/// Cuts the pipeline of a run for this rank.
pub(super) fn cut(run: &mut RunRequest, observer: &mut dyn Observer) -> Result<(), RunError> {
    let Some(ranks) = run.ranks.clone() else {
        if run.balance {
            return Err(unbalanced("one rank has all parts"));
        }
        return Ok(());
    };
    let refused = [
        (run.changes.is_some(), "changes between steps"),
        (!run.swaps.is_empty(), "other shaders for stages"),
        (run.pipeline.worlds() > 1, "several worlds"),
    ];
    if let Some((_, what)) = refused.into_iter().find(|(is_there, _)| *is_there) {
        let message = format!("a run over several ranks does not support {what}");
        return Err(RunError::Input(Problem::without_place(message).into()));
    }
    let cut = run.pipeline.cut(&run.cut, ranks.rank(), ranks.count());
    let notices = cut.map_err(|uncut| RunError::Input(problems(uncut)))?;
    let cut = run.pipeline.cut.as_deref();
    let mut stages = run.pipeline.step.iter().map(|entry| entry.stage);
    if run.balance && !stages.any(|stage| cut.is_some_and(|cut| cut.grow(stage).is_some())) {
        return Err(unbalanced("every rank runs all stages of `step` whole"));
    }
    compute_halos(&mut run.pipeline);
    if let (true, Some(cut)) = (ranks.is_root(), run.pipeline.cut.as_deref()) {
        let [x, y, z] = cut.partition.parts;
        let grid = cut
            .grids
            .first()
            .map(|grid| &run.pipeline.resources[grid.id].name);
        let of = grid.map_or(String::new(), |grid| format!(" of `{grid}`"));
        observer.event(Event::Notice(&format!(
            "{} ranks run {x} x {y} x {z} parts{of}",
            ranks.count()
        )));
        notices
            .iter()
            .for_each(|notice| observer.event(Event::Notice(notice)));
    }
    Ok(())
}

/// The error of a run without parts to move.
fn unbalanced(cause: &str) -> RunError {
    let problem = Problem::without_place(format!("`--balance` has no parts to move: {cause}"));
    RunError::Input(problem.help("leave out `--balance`").into())
}

/// Turns the reasons against a cut into problems of the pipeline file.
pub fn problems(uncut: Vec<Uncut>) -> Problems {
    let mut problems = Problems::default();
    problems.list.extend(uncut.into_iter().map(|uncut| {
        let problem = match uncut.pointer {
            Some(pointer) => Problem::new(pointer, uncut.message),
            None => Problem::without_place(uncut.message),
        };
        match uncut.help {
            Some(help) => problem.help(help),
            None => problem,
        }
    }));
    problems
}

/// The result of this rank, unless another rank has failed. All ranks must call it.
pub(super) fn agreed<T>(run: &RunRequest, what: &str, own: Result<T, RunError>) -> Result<T, RunError> {
    match &run.ranks {
        None => own,
        Some(ranks) => {
            (ranks.agree(what, own, run.options.exchange_timeout())).map_err(|error| match error {
                Agreed::Own(error) => error,
                Agreed::Other(failure) => RunError::Rank(failure),
            })
        }
    }
}

/// Reports the failure of this rank to the others, so that they do not wait for it.
pub(super) fn report<T>(run: &RunRequest, result: &Result<T, RunError>) {
    if let (Some(ranks), Err(error)) = (&run.ranks, result)
        && !matches!(error, RunError::Rank(_))
    {
        ranks.fail(&error.to_string());
    }
}

/// Returns an error on all ranks if one of them would not compute the same as rank 0.
pub(super) fn compare(run: &RunRequest, identity: &RunIdentity) -> Result<(), RunError> {
    let Some(ranks) = &run.ranks else { return Ok(()) };
    let device = run.gpu.report();
    let mut own = vec![
        ("the program", env!("CARGO_PKG_VERSION").to_string()),
        ("the digest of the pipeline", hash_of(&run.pipeline)),
        ("the digest of the initial values", digest(identity)),
    ];
    own.extend(options(run));
    let shaders = identity.stages.iter();
    let names: Vec<String> = shaders
        .clone()
        .map(|(stage, _)| format!("the shader of stage `{stage}`"))
        .collect();
    own.extend(
        names
            .iter()
            .map(String::as_str)
            .zip(shaders.map(|(_, hash)| hash.clone())),
    );
    if !run.pipeline.portable {
        own.push((
            "the device",
            format!(
                "{} with {} {}",
                device.name, device.driver_name, device.driver_info
            ),
        ));
    }
    let text: Vec<String> = own
        .iter()
        .map(|(what, value)| format!("{what}\t{value}"))
        .collect();
    let text = text.join("\n");
    let all = ranks.gather("of identities", text.as_bytes(), run.options.exchange_timeout())?;
    let all: Vec<String> = all
        .iter()
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect();
    let differing = (1..all.len()).find_map(|rank| Some((rank, difference(&all[0], &all[rank])?)));
    match differing {
        None => Ok(()),
        Some((rank, (what, theirs, first))) => Err(unequal(ranks, rank, &what, &theirs, &first)),
    }
}

/// A part of the names of hidden files that no other run has; `None` if ranks write no files together. Returns an error if a
/// rank does not see the directory of rank 0. All ranks must call it.
pub(super) fn stamp(run: &RunRequest) -> Result<Option<String>, RunError> {
    let mut outputs = run.pipeline.outputs.iter();
    let is_common = outputs.any(|output| run.pipeline.is_written_in_parts(output));
    let Some(ranks) = run.ranks.as_ref().filter(|_| is_common) else {
        return Ok(None);
    };
    let mark = ranks.is_root().then(|| Mark::create(run.directory)).transpose()?;
    let own = mark.as_ref().map_or("", |mark| &mark.stamp);
    let all = ranks.gather(
        "of the mark of rank 0",
        own.as_bytes(),
        run.options.exchange_timeout(),
    )?;
    let stamp = String::from_utf8_lossy(&all[0]).into_owned();
    let seen = if Mark::is_seen(run.directory, &stamp) {
        Ok(Some(stamp))
    } else {
        let directory = run.directory.display();
        let message = format!("{directory} is not the directory in which rank 0 writes files");
        let help = "choose one with --out that all ranks see under the same path";
        Err(RunError::Input(Problem::without_place(message).help(help).into()))
    };
    // Rank 0 removes its mark when all have looked.
    agreed(run, "on the directory of outputs", seen)
}

/// A number for the files with initial values.
fn digest(identity: &RunIdentity) -> String {
    let text = format!("{:?} {:?}", identity.sources, identity.values);
    blake3::hash(text.as_bytes()).to_hex()[..16].to_string()
}

/// The options of a run, in the words of the program.
fn options(run: &RunRequest) -> Vec<(&'static str, String)> {
    let options = &run.options;
    let order = options
        .shuffle
        .map_or("none".to_string(), |seed| seed.to_string());
    let whole = match &run.cut.whole {
        Whole::None => "none".to_string(),
        Whole::Stages(names) => names.join(","),
        Whole::All => "all".to_string(),
    };
    let parts = (run.cut.parts).map_or("chosen".to_string(), |[x, y, z]| format!("{x},{y},{z}"));
    let yes = |is_set: bool| if is_set { "yes" } else { "no" }.to_string();
    vec![
        ("`--checked`", yes(options.checked)),
        ("the search for races", yes(options.races)),
        ("`--shuffle`", order),
        ("`--full-barriers`", yes(options.full_barriers)),
        ("`--timeout`", format!("{} s", options.timeout.as_secs_f64())),
        ("`--cut`", parts),
        ("`--whole`", whole),
        ("`--balance`", yes(run.balance)),
        ("`--hash`", yes(run.hash)),
        ("`--resume`", yes(run.resume)),
    ]
}

/// The first line that differs: what it is, and both values.
fn difference(first: &str, other: &str) -> Option<(String, String, String)> {
    let (mut lines, mut others) = (first.lines(), other.lines());
    loop {
        let (line, theirs) = (lines.next(), others.next());
        if line.is_none() && theirs.is_none() {
            return None;
        }
        if line != theirs {
            let split = |line: Option<&str>| {
                let (what, value) = line.unwrap_or_default().split_once('\t').unwrap_or_default();
                (what.to_string(), value.to_string())
            };
            let ((what, value), (_, theirs)) = (split(line), split(theirs));
            return Some((what, theirs, value));
        }
    }
}

fn unequal(ranks: &Ranks, rank: usize, what: &str, theirs: &str, first: &str) -> RunError {
    let (name, root) = (ranks.name(rank), ranks.name(0));
    let message = format!("{what} is {theirs} on {name}, and {first} on {root}");
    let help = match what {
        "the device" => {
            "results of different devices differ in their last bits: use equal devices, or set `run.portable`"
        }
        _ => "start all ranks with the same program, files and options",
    };
    RunError::Input(Problem::without_place(message).help(help).into())
}

/// The wishes of the observers of all ranks, and how far their files are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    pub stop: bool,
    pub checkpoint: bool,
    /// All ranks have written their parts of the files of frames before this one.
    pub written_before: u64,
    /// A checkpoint of rank 0 waits for the files of frames before this one.
    pub awaited_before: u64,
}

/// Combines the requests of all ranks after a frame, and collects what they have measured; no times if one of them has none. All
/// ranks must call it.
pub(super) fn asked(
    run: &RunRequest,
    frame: u64,
    own: Asked,
    measured: Option<Measured>,
) -> Result<(Asked, Option<Vec<Measured>>), Failure> {
    let Some(ranks) = &run.ranks else {
        return Ok((own, None));
    };
    let numbers = [
        u64::from(own.stop),
        u64::from(own.checkpoint),
        own.written_before,
        own.awaited_before,
    ];
    let mut bytes = numbers.map(u64::to_le_bytes).concat();
    let length = bytes.len();
    bytes.extend(measured.iter().flat_map(|measured| measured.to_bytes()));
    let all = ranks.gather(
        &format!("after frame {frame}"),
        &bytes,
        run.options.exchange_timeout(),
    )?;
    let number = |bytes: &Vec<u8>, number: usize| {
        let bytes = bytes.chunks_exact(8).nth(number);
        u64::from_le_bytes(bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or_default())
    };
    let of_all = |which: usize| all.iter().map(move |bytes| number(bytes, which));
    let asked = Asked {
        stop: of_all(0).any(|stop| stop > 0),
        checkpoint: of_all(1).any(|checkpoint| checkpoint > 0),
        written_before: of_all(2).min().unwrap_or(0),
        awaited_before: of_all(3).max().unwrap_or(0),
    };
    let measured = all.iter().map(|bytes| Measured::from_bytes(bytes.get(length..)?));
    Ok((asked, measured.collect()))
}
