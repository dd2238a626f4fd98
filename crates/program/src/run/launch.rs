//! Launchers of MPI: starts one for `--ranks`, and finds out whether one started this process.

use std::env;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use sastrugi::{Error, Problem};
use signal_hook::consts::signal::*;
use signal_hook::flag;

use super::super::signals::INTERRUPTED;
use super::{Arguments, cut};

/// The command that starts ranks, with its first arguments.
const COMMAND: &str = "SASTRUGI_MPIRUN";

/// Set in the environment of the processes that this file starts.
const STARTED: &str = "SASTRUGI_STARTED_RANKS";

/// Variables in which launchers state the number of processes: Open MPI, MPICH and Slurm's PMI-2, MVAPICH.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"];

/// Settings of Open MPI, which others ignore: more ranks than cores, and all cores for each, since a rank has threads;
/// starting as root, as in containers; no text about exit codes; and time to complete a frame before a rank is ended.
const OPEN_MPI: [(&str, &str); 9] = [
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_orte_execute_quiet", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
    ("PRTE_MCA_hwloc_default_binding_policy", "none"),
    ("PRTE_ALLOW_RUN_AS_ROOT", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
];

/// Number of processes that a launcher of MPI started together with this one; 1 without a launcher.
pub(super) fn processes() -> usize {
    let number = |name: &str| env::var(name).ok()?.parse().ok();
    let stated = SIZES.into_iter().find_map(number);
    // PMIx states the size to MPI alone.
    let unstated = env::var_os("PMIX_RANK").map(|_| number("SLURM_STEP_NUM_TASKS").unwrap_or(2));
    stated.or(unstated).unwrap_or(1)
}

/// The error of a program without MPI.
pub(super) fn without_mpi(processes: Option<usize>) -> Problem {
    let message = match processes {
        None => "this program was built without MPI".to_string(),
        Some(count) => {
            format!(
                "started by a launcher as one of {count} processes, but this program was built without MPI"
            )
        }
    };
    Problem::without_place(message).help(
        "build it with `cargo build --release --features mpi`, which needs Open MPI or MPICH with headers, and libclang \
         (docs/ranks.md)",
    )
}

/// Starts this program again, as ranks, and waits for them. Mistakes in the input are reported before.
pub(super) fn main(arguments: &Arguments, ranks: usize) -> Result<u8, Error> {
    if !cfg!(feature = "mpi") {
        return Err(without_mpi(None).into());
    }
    if env::var_os(STARTED).is_some() {
        let message = format!("the command in {COMMAND} starts processes that know nothing of each other");
        return Err(Problem::without_place(message)
            .help("name the launcher of the MPI that this program was built with")
            .into());
    }
    cut::check_options(arguments)?;
    let runs = super::runs(arguments)?;
    cut::check_one_run(runs.len())?;
    for run in &runs {
        run.pipeline().check_cut(&arguments.cut.request(), ranks)?;
        run.check()?;
    }
    let command = env::var(COMMAND).unwrap_or_else(|_| "mpirun".to_string());
    let failed = |cause: &dyn std::fmt::Display| {
        Error::failed(format!(
            "cannot start `{command}`: {cause}\n  help: install Open MPI or MPICH, or name the command in {COMMAND}"
        ))
    };
    let signals = Forwarded::install();
    let child = start(&command, ranks).map_err(|cause| failed(&cause))?;
    let status = signals.wait(child).map_err(|cause| failed(&cause))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    match code {
        // Codes of this program, after messages of ranks.
        Some(code @ (0 | 2 | INTERRUPTED)) => Ok(code),
        _ => {
            crate::say!("error: `{command}` ended with {status}");
            Ok(code.unwrap_or(1))
        }
    }
}

/// Starts a command that starts ranks with the arguments of this process.
fn start(command: &str, ranks: usize) -> std::io::Result<Child> {
    let mut words = command.split_whitespace();
    let mut launcher = Command::new(words.next().unwrap_or_default());
    let is_unset = |(name, _): &(&str, &str)| env::var_os(name).is_none();
    launcher
        .args(words)
        .args(["-n", &ranks.to_string()])
        .arg(env::current_exe()?)
        .args(env::args_os().skip(1))
        .env(STARTED, ranks.to_string())
        .envs(OPEN_MPI.into_iter().filter(is_unset))
        .stdin(Stdio::null());
    // Ctrl-C must not reach the launcher, which would end the ranks at once.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut launcher, 0);
    launcher.spawn()
}

/// Signals for the ranks: the first to end comes as SIGUSR2, which launchers pass on, and ends the run after its frame.
/// A second one ends the ranks at once.
struct Forwarded {
    stop: Arc<AtomicBool>,
    checkpoint: Arc<AtomicBool>,
}

impl Forwarded {
    fn install() -> Forwarded {
        let signals = Forwarded {
            stop: Arc::default(),
            checkpoint: Arc::default(),
        };
        let mut all = vec![(SIGINT, &signals.stop), (SIGTERM, &signals.stop)];
        #[cfg(unix)]
        all.extend([(SIGHUP, &signals.stop), (SIGUSR2, &signals.stop)]);
        all.push((SIGTERM, &signals.checkpoint));
        #[cfg(unix)]
        all.push((SIGUSR1, &signals.checkpoint));
        for (signal, flag) in all {
            // Without the handler the signal ends this process, as before.
            let _ = flag::register(signal, Arc::clone(flag));
        }
        signals
    }

    /// Waits for the launcher, and passes signals on.
    fn wait(self, mut child: Child) -> std::io::Result<ExitStatus> {
        let mut stops = 0;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if self.checkpoint.swap(false, Ordering::SeqCst) {
                send(&child, "USR1");
            }
            if self.stop.swap(false, Ordering::SeqCst) {
                stops += 1;
                match stops {
                    1 => send(&child, "USR2"),
                    2 => send(&child, "TERM"),
                    _ => child.kill()?,
                }
            }
            sleep(Duration::from_millis(20));
        }
    }
}

/// Sends a signal to the launcher. One that has just ended needs none.
fn send(child: &Child, signal: &str) {
    let kill = Command::new("kill")
        .arg(format!("-{signal}"))
        .arg(child.id().to_string())
        .stderr(Stdio::null())
        .status();
    let _ = kill;
}
