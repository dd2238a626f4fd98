//! The reasons for which a run ends before its last frame.

use crate::gpu::GpuError;
use crate::output::OutputError;
use crate::problem::Problems;
use crate::ranks::Failure;

use super::fault::Fault;
use super::unfinished::Unfinished;
use super::watch::{FirstBad, WatchedFrames};

/// Failure of a run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The input is wrong; nothing has run.
    #[error("{0}")]
    Input(#[from] Problems),

    #[error("{0}")]
    Gpu(#[from] GpuError),

    #[error("{0}")]
    Output(#[from] OutputError),

    /// A stage of a checked run accessed a value outside a field, or a stage set an invalid length of an iteration.
    #[error("{fault}, found before frame {frame} was written\n  help: {}; {files}", fault.help())]
    Fault {
        fault: Box<Fault>,
        frame: u64,
        files: String,
    },

    /// The watch found a bad value.
    #[error("{bad}\n  help: {}; {}", bad.help(), frames.text(bad))]
    Bad {
        bad: Box<FirstBad>,
        frames: WatchedFrames,
    },

    /// A repeat used all its iterations although it must end before.
    #[error("{unfinished}, found before frame {frame} was written\n  help: {}; {files}", unfinished.help())]
    Unfinished {
        unfinished: Box<Unfinished>,
        frame: u64,
        files: String,
    },

    /// Stages requested more blocks of a sparse grid than its budget holds.
    #[error(
        "stages request {wanted} blocks of grid `{grid}` ({wanted_bytes} bytes), but its budget holds \
         {holds} ({holds_bytes} bytes; {active} are active, and deactivated blocks count for one more \
         update)\n  help: raise `sparse.budget` of the grid, request fewer blocks, or set \"when_full\": \
         \"drop\""
    )]
    Full {
        grid: String,
        wanted: u64,
        wanted_bytes: u64,
        holds: u64,
        holds_bytes: u64,
        active: u64,
    },

    /// The device exceeded the time limit of a submission. Its objects cannot be freed: end the process.
    #[error(
        "the device did not finish {what} within {seconds} s: {began}\n  help: the shader may never end; \
         raise --timeout if it is only slow"
    )]
    Timeout {
        what: String,
        seconds: u64,
        began: String,
    },

    #[error("{lost}\n  {began}")]
    Lost { lost: GpuError, began: String },

    /// Another rank failed, or messages between ranks did.
    #[error("{0}")]
    Rank(#[from] Failure),

    /// A call that does not fit the pipeline.
    #[error("{0}")]
    Misuse(String),

    #[error("{0}")]
    Failed(String),
}
