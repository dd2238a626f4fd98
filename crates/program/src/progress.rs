//! Progress of a run: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sastrugi::Pipeline;

/// Time between plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

pub(super) struct Progress {
    how: How,
    total_steps: u64,
    total_frames: u64,
    particles: u64,
    /// The name of the particles, for "flakes/s".
    noun: String,
    /// Set when the first step is done, so that the start does not count.
    started: Instant,
    /// Steps that were done then.
    done_before: u64,
}

enum How {
    Quiet,
    Bar(ProgressBar),
    Lines { last: Instant, name: String },
}

/// Redraws a bar while nothing happens, if threads start: without one, this would panic.
pub(super) fn tick(bar: &ProgressBar) {
    if std::thread::Builder::new().spawn(|| {}).is_ok() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

impl Progress {
    pub(super) fn new(pipeline: &Pipeline, quiet: bool) -> Progress {
        let total_frames = pipeline.frames();
        let total_steps = total_frames.saturating_mul(u64::from(pipeline.steps_per_frame()));
        let sets = pipeline.summary().particles;
        let how = if quiet {
            How::Quiet
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(total_steps);
            let style = "{prefix} {wide_bar} {pos}/{len} steps  {msg}  ETA {eta}";
            bar.set_style(
                ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.set_prefix(crate::terminal::plain(pipeline.name()));
            tick(&bar);
            How::Bar(bar)
        } else {
            How::Lines {
                last: Instant::now(),
                name: String::new(),
            }
        };
        Progress {
            how,
            total_steps,
            total_frames,
            particles: sets.iter().map(|set| set.capacity).sum(),
            noun: match &sets[..] {
                [set] => set.name.clone(),
                _ => "particles".into(),
            },
            started: Instant::now(),
            done_before: 0,
        }
    }

    /// As [`Progress::new`], but in lines that begin with a name: for one of several parallel runs.
    pub(super) fn lines(pipeline: &Pipeline, quiet: bool, name: &str) -> Progress {
        Progress {
            how: if quiet {
                How::Quiet
            } else {
                How::Lines {
                    last: Instant::now(),
                    name: format!("{name}: "),
                }
            },
            ..Progress::new(pipeline, true)
        }
    }

    /// Steps begin now, after those done before.
    pub(super) fn start(&mut self, done: u64) {
        self.started = Instant::now();
        self.done_before = done;
        match &mut self.how {
            How::Quiet => {}
            How::Bar(bar) => {
                bar.set_position(done);
                bar.reset_eta();
            }
            How::Lines { last, .. } => *last = self.started,
        }
    }

    pub(super) fn step(&mut self, step: u64) {
        if matches!(self.how, How::Quiet) {
            return;
        }
        let rates = self.rates(step);
        match &mut self.how {
            How::Quiet => {}
            How::Bar(bar) => {
                bar.set_position(step);
                bar.set_message(rates);
            }
            How::Lines { last, name } => {
                if last.elapsed() >= PLAIN_INTERVAL || step == self.total_steps {
                    *last = Instant::now();
                    let done = (step - self.done_before).max(1);
                    let left =
                        self.started.elapsed().as_secs_f64() / done as f64 * (self.total_steps - step) as f64;
                    let eta = if step < self.total_steps {
                        format!(", ETA {left:.0} s")
                    } else {
                        String::new()
                    };
                    crate::say!("{name}step {step} of {}: {rates}{eta}", self.total_steps);
                }
            }
        }
    }

    /// The bar also shows the frame; lines show only steps.
    pub(super) fn frame(&self, frame: u64) {
        if let How::Bar(bar) = &self.how {
            bar.set_prefix(format!("frame {frame}/{}", self.total_frames));
        }
    }

    pub(super) fn finish(&self) {
        if let How::Bar(bar) = &self.how {
            bar.abandon();
        }
    }

    fn rates(&self, step: u64) -> String {
        let done = step - self.done_before;
        let per_second = done as f64 / self.started.elapsed().as_secs_f64().max(1e-9);
        match self.particles {
            0 => format!("{per_second:.2} steps/s"),
            n => format!(
                "{per_second:.2} steps/s, {} {}/s",
                short(per_second * n as f64),
                self.noun
            ),
        }
    }
}

/// A rate with three digits and a unit prefix.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.2} G", v / 1e9),
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e3 => format!("{:.2} k", v / 1e3),
        v => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rates_are_short() {
        assert_eq!(super::short(1234.0), "1.23 k");
        assert_eq!(super::short(5.0e7), "50.00 M");
        assert_eq!(super::short(0.5), "0.50");
    }
}
