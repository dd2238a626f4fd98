//! What a change of each parameter requires, found by trying one on the file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};

use crate::gpu::Gpu;
use crate::ir::Pipeline;
use crate::run::RunError;
use crate::spec::{ParameterValue, value_text};

use super::reading::read_pipeline;

/// What a change of a parameter requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing: the next step uses it.
    Value,
    /// Kernels or numbers of dispatches change; the state stays.
    Rebuild,
    /// Sizes of resources change.
    Restart,
}

fn effect(now: &Pipeline, changed: &Pipeline) -> Effect {
    match now.differs_in_values_alone(changed) {
        true => Effect::Value,
        false if now.has_resources_of(changed) => Effect::Rebuild,
        false => Effect::Restart,
    }
}

/// Texts of values beside the present one, of which at least one should be allowed.
fn others(values: &[f64]) -> Vec<String> {
    let first = values.first().copied().unwrap_or_default();
    let whole = values.iter().all(|value| value.fract() == 0.0);
    let steps = match whole {
        true => vec![1.0, -1.0, first, 0.125],
        false => vec![0.01 * first, -0.01 * first],
    };
    let text = |step: &f64| {
        let mut values = values.to_vec();
        if let Some(first) = values.first_mut() {
            *first += step;
        }
        value_text(&values)
    };
    steps.iter().map(text).collect()
}

/// For each second of a trial, seconds without one while the simulation runs, which may need the same cores.
const REST: u32 = 19;
/// The longest time without a look at what was asked.
const LOOK: Duration = Duration::from_millis(20);

/// What a simulation asks of its trials.
#[derive(Default)]
struct Asked {
    end: AtomicBool,
    hurry: AtomicBool,
}

/// Tries the parameters in the background.
pub(super) struct Trials {
    found: Receiver<(String, Effect)>,
    asked: Arc<Asked>,
}

impl Trials {
    /// Starts to try changes of the pipeline that the file and the overrides give.
    pub(super) fn start(
        gpu: &Gpu,
        (file, overrides): (PathBuf, Vec<String>),
        pipeline: Arc<Pipeline>,
        parameters: Arc<Vec<ParameterValue>>,
    ) -> Result<Trials, RunError> {
        let (sender, found) = unbounded();
        let (gpu, asked) = (gpu.clone(), Arc::new(Asked::default()));
        let order = Arc::clone(&asked);
        let thread = std::thread::Builder::new().name("parameters".into());
        let work = move || try_all(&gpu, (&file, &overrides), &pipeline, &parameters, &sender, &order);
        match thread.spawn(work) {
            Ok(_) => Ok(Trials { found, asked }),
            Err(error) => Err(RunError::Failed(format!("cannot start a thread: {error}"))),
        }
    }

    /// What has been found since the last call.
    pub(super) fn found(&self) -> BTreeMap<String, Effect> {
        self.found.try_iter().collect()
    }

    /// Without rests while the simulation stands still.
    pub(super) fn hurry(&self, stands: bool) {
        self.asked.hurry.store(stands, Ordering::SeqCst);
    }
}

impl Drop for Trials {
    fn drop(&mut self) {
        self.asked.end.store(true, Ordering::SeqCst);
    }
}

fn try_all(
    gpu: &Gpu,
    (file, overrides): (&PathBuf, &[String]),
    pipeline: &Pipeline,
    parameters: &[ParameterValue],
    sender: &Sender<(String, Effect)>,
    asked: &Asked,
) {
    for parameter in parameters {
        let began = Instant::now();
        let read = |text: String| {
            let mut all = overrides.to_vec();
            all.push(format!("{}={text}", parameter.name));
            read_pipeline(gpu, file, &all).ok()
        };
        let changed = others(&parameter.values).into_iter().find_map(read);
        let Some(changed) = changed else { continue };
        let told = sender.send((parameter.name.clone(), effect(pipeline, &changed)));
        let until = Instant::now() + REST * began.elapsed();
        while Instant::now() < until
            && !asked.hurry.load(Ordering::SeqCst)
            && !asked.end.load(Ordering::SeqCst)
        {
            std::thread::sleep(LOOK);
        }
        if told.is_err() || asked.end.load(Ordering::SeqCst) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_values_are_of_the_same_kind_and_shape() {
        assert_eq!(others(&[4.0]), ["5", "3", "8", "4.125"]);
        assert_eq!(others(&[0.5]), ["0.505", "0.495"]);
        assert_eq!(others(&[1.0, 2.0])[0], "[2.0, 2.0]");
    }
}
