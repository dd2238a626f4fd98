//! Mistakes in exchanges that the tests of ranks must see.

use sastrugi::run::Spoil;

use super::stencils::stencils;
use super::*;

/// Makes a mistake in every exchange from a number on.
pub(super) struct Spoils(pub(super) Spoil);

impl Probe for Spoils {
    fn spoils(&self, exchange: u64) -> Spoil {
        if exchange >= 2 { self.0 } else { Spoil::None }
    }
}

/// A mistake in exchanges changes the results of three steps.
#[track_caller]
pub(super) fn assert_changed(pipeline: &Pipeline, spoil: Spoil, parts: [usize; 3]) {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting::steps(3);
    let alone = hash_alone(&gpu, pipeline, &setting);
    let probe = Arc::new(Spoils(spoil));
    let found = hash_on(&gpu, pipeline, parts, &Setting { probe, ..setting });
    assert_ne!(found, alone);
}

fn spoilt(spoil: Spoil, parts: [usize; 3]) -> bool {
    let Some(gpu) = common::gpu() else { return true };
    let pipeline = stencils(&[9, 8, 7], "repeat");
    let setting = Setting::steps(4);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let probe = Arc::new(Spoils(spoil));
    hash_on(&gpu, &pipeline, parts, &Setting { probe, ..setting }) != alone
}

#[test]
fn control_dropped_exchange_changes_the_hash() {
    assert!(spoilt(Spoil::Drop, [1, 1, 2]));
}

#[test]
fn control_halo_one_cell_short_changes_the_hash() {
    assert!(spoilt(Spoil::Shallow, [1, 2, 1]));
}

#[test]
fn control_missing_corner_changes_the_hash() {
    assert!(spoilt(Spoil::NoCorners, [1, 2, 2]));
}

#[test]
fn control_box_one_cell_short_changes_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = stencils(&[9, 8, 7], "repeat");
    let setting = Setting::steps(4);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let spoil = |share: &mut Share| {
        if let Share::Part { grow } = share {
            *grow = grow.map(|cells| cells.saturating_sub(1));
        }
    };
    assert_ne!(
        hash_on(&gpu, &pipeline, [1, 1, 2], &Setting { spoil, ..setting }),
        alone
    );
}
