//! Checkpoints: files that a run goes on from, bit for bit as if it had never stopped.
//!
//! They lie in `checkpoints/` of the output directory, named by their frame. One gets its name only when every frame
//! up to its own is on disk, so that a run which goes on from it leaves no gap.

mod file;
mod identity;
mod keeper;
mod place;
mod resume;
mod sound;

pub use file::{Checkpoint, Header, OutputCount};
pub use identity::Identity;
pub use keeper::Keeper;
pub use place::directory;
pub use resume::{Resumed, newest};
