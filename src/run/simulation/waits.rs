//! Waits of the host for the lanes of a simulation.

use std::time::{Duration, Instant};

use crate::gpu::DeviceKind;
use crate::plan::Lane;

use super::super::error::RunError;
use super::Simulation;

/// Time for which a rank looks at a timeline before its thread sleeps: longer than the program is ahead of the device between two
/// sorts of particles.
const AWAKE: Duration = Duration::from_millis(20);
/// Time between two looks for a failure of another rank.
const LOOK: Duration = Duration::from_millis(100);

impl Simulation {
    /// Waits until a lane has reached a value.
    pub fn wait(&self, lane: Lane, value: u64) -> Result<(), RunError> {
        if value == 0 {
            return Ok(());
        }
        let timeline = &self.timelines[lane as usize];
        if self.ranked.is_some() && self.gpu().report().kind != DeviceKind::Cpu {
            // Exchanges wait several times, and a thread takes longer to wake than most of that work.
            let began = Instant::now();
            while began.elapsed() < AWAKE && timeline.value()? < value {
                std::hint::spin_loop();
            }
        }
        let (host, mut what) = (
            &self.prepared.host,
            format!("submission {value} of its {lane:?} queue"),
        );
        match &self.ranked {
            // The device may wait for that of a rank that has failed.
            Some(ranked) if self.has_signals() => {
                what += ", which waits for messages of other ranks";
                host.wait_and_look(timeline, value, &what, LOOK, || {
                    ranked.exchanges.check()?;
                    Ok(ranked.ranks.check()?)
                })
            }
            _ => host.wait(timeline, value, &what),
        }
    }

    /// Returns true if a lane has reached a value. Does not wait.
    pub fn has_reached(&self, lane: Lane, value: u64) -> Result<bool, RunError> {
        Ok(value == 0 || self.timelines[lane as usize].wait(value, Duration::ZERO)?)
    }
}
