//! Checkpoints that a client asks for, outside runs.

use std::path::Path;

use crate::output::manifest::Manifest;
use crate::run::device::device_name;
use crate::run::error::RunError;
use crate::run::simulation::Simulation;
use crate::run::simulation::capture::Extent;
use crate::run::state::SimulationState;

use super::file::{Checkpoint, CheckpointDescription, PartDescription};
use super::identity::RunIdentity;

/// Writes the state after everything submitted so far into a file, which is complete or absent.
pub fn save(simulation: &mut Simulation, path: &Path) -> Result<(), RunError> {
    let pending = simulation.capture(Extent::Everything)?;
    let state = simulation.captured(pending)?;
    let parts = state.parts.iter().map(|part| {
        Ok(PartDescription {
            name: part.name.clone(),
            bytes: part.bytes()?.len() as u64,
        })
    });
    let description = CheckpointDescription {
        program: Manifest::program(),
        device: device_name(simulation.gpu()),
        identity: RunIdentity::of(simulation.pipeline(), simulation.modules()),
        steps: state.steps,
        frames: state.frames,
        outputs: Default::default(),
        grids: state.grids.clone(),
        parts: parts.collect::<Result<_, RunError>>()?,
    };
    Checkpoint::write(path, &state, || Ok(description))?;
    Ok(())
}

/// Continues from the state in a file, which must be of the same pipeline. An error leaves the simulation unchanged.
pub fn restore(simulation: &mut Simulation, path: &Path) -> Result<SimulationState, RunError> {
    let refused = |cause: String, help: &str| {
        RunError::Failed(format!("{} is refused: {cause}\n  help: {help}", path.display()))
    };
    let found = Checkpoint::read(path)
        .map_err(|cause| refused(cause, "name a file that a checkpoint was written to"))?;
    let identity = RunIdentity::of(simulation.pipeline(), simulation.modules());
    if let Some(difference) = found.description.identity.differs_from(&identity) {
        let cause = format!("it belongs to another simulation: {difference}");
        return Err(refused(
            cause,
            "set the parameters and shaders that it was written with first",
        ));
    }
    simulation.return_to(&found.state)?;
    Ok(found.state)
}
