//! Ranks as processes that a launcher of MPI started. Only [`calls`] calls MPI with pointers.

#[allow(
    unsafe_code,
    reason = "calls MPI on memory that it must keep; every block argues its safety"
)]
mod calls;
mod processes;

use std::fmt;
use std::time::Duration;

use ::mpi::environment::Universe;
use ::mpi::traits::Communicator;
use ::mpi::{Threading, initialize_with_threading};

use super::process::Ranks;

use processes::Processes;

/// Time limit of ending after a panic.
const TIMEOUT: Duration = Duration::from_secs(60);

/// This process as one of those that a launcher of MPI started. Call [`Mpi::finish`] before the process ends.
pub struct Mpi {
    /// Ends MPI when it is dropped.
    universe: Option<Universe>,
    ranks: Ranks,
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.ranks.fmt(f)
    }
}

impl Mpi {
    /// Initialises MPI and waits for all other ranks. Once in a process, on its main thread. The error is a text.
    pub fn start() -> Result<Mpi, String> {
        let started = initialize_with_threading(Threading::Serialized);
        let (universe, threading) = started.ok_or("MPI is initialised already")?;
        if threading < Threading::Serialized {
            return Err(format!(
                "MPI allows calls from a single thread only (asked for SERIALIZED, got {threading:?})"
            ));
        }
        let processes = match Processes::of(&universe.world()) {
            Ok(processes) => processes,
            Err(failure) => {
                // To end MPI would wait for the other ranks. A process that ends without it makes the launcher end them.
                std::mem::forget(universe);
                return Err(failure.to_string());
            }
        };
        Ok(Mpi {
            universe: Some(universe),
            ranks: Ranks::new(Box::new(processes)),
        })
    }

    /// The ranks that were started together.
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// Ends MPI as soon as all ranks have called this. If one does not within `timeout`, ends all ranks, and this process,
    /// with the exit code.
    pub fn finish(mut self, code: u8, timeout: Duration) {
        self.end(code, timeout);
    }

    fn end(&mut self, code: u8, timeout: Duration) {
        if let Some(universe) = self.universe.take()
            && !self.ranks.close(timeout)
        {
            universe.world().abort(i32::from(code));
        }
    }
}

impl Drop for Mpi {
    /// After a panic.
    fn drop(&mut self) {
        if self.universe.is_some() {
            self.ranks.fail("it ended early");
            self.end(1, TIMEOUT);
        }
    }
}
