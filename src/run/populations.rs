//! Numbers of live particles of dynamic sets, of refused births, and of cells in active blocks.

use crate::output::manifest::ParticlesUse;
use crate::particles::live;

use super::error::RunError;
use super::simulation::Simulation;

/// Reads the counts of all dynamic sets; waits for everything submitted.
pub(super) fn populations(simulation: &mut Simulation) -> Result<Vec<ParticlesUse>, RunError> {
    let pipeline = simulation.pipeline().clone();
    let dynamic = pipeline
        .resources
        .iter()
        .filter_map(|set| Some((set, set.live()?)));
    dynamic
        .map(|(set, field)| {
            let bytes = simulation.read(&pipeline.fields[field].name)?;
            let word = |at: usize| {
                let bytes = bytes.chunks_exact(4).nth(at).unwrap_or(&[0; 4]);
                u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            };
            Ok(ParticlesUse {
                set: set.name.clone(),
                capacity: set.elements(),
                live: word(live::COUNT),
                refused: word(live::REFUSED),
            })
        })
        .collect()
}

/// The number of elements that each resource has now: cells of active blocks, live particles, or all. Waits for everything
/// submitted.
pub fn present_elements(simulation: &mut Simulation) -> Result<Vec<u64>, RunError> {
    let pipeline = simulation.pipeline().clone();
    let pages = simulation.pages();
    let elements = pipeline.resources.iter().map(|resource| {
        if let Some(grid) = resource.sparse() {
            let usage = pages.iter().find(|usage| usage.grid == resource.name);
            let blocks = usage.map_or(0, |usage| usage.active_blocks);
            return Ok(blocks * grid.layout.cells_per_block());
        }
        let Some(field) = resource.live() else {
            return Ok(resource.elements());
        };
        let bytes = simulation.read(&pipeline.fields[field].name)?;
        Ok(live::count(&bytes).map_or(0, u64::from))
    });
    elements.collect()
}

/// Warnings about sets that refused births.
pub(super) fn refusals(populations: &[ParticlesUse]) -> impl Iterator<Item = String> {
    let refusing = populations.iter().filter(|set| set.refused > 0);
    refusing.map(|set| {
        format!(
            "particle set `{}`: {} births were refused because its capacity is {}\n  help: raise its \
             \"capacity\"",
            set.set, set.refused, set.capacity
        )
    })
}
