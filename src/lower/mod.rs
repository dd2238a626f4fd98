//! Turns operations of the engine (sort, remove, scan, transform, update a grid, emit, measure, watch) into ordinary
//! stages and fields, so that plans, barriers, memory and profiles need no further rules for them.

mod draft;
pub mod emission;
pub mod fft;
mod fill;
pub mod group_counts;
pub mod loops;
pub mod meaning;
pub mod measures;
pub mod paging;
mod reductions;
mod removal;
mod reorder;
mod replace;
mod rings;
mod scan;
pub mod sort;
mod stages;
mod text;
mod unpack;
pub mod watch;

use draft::{DraftContext, SharedBuffers};
use meaning::Meaning;

/// A pass by its name.
pub struct Pass {
    pub name: &'static str,
    run: fn(&mut Meaning),
}

const fn pass(name: &'static str, run: fn(&mut Meaning)) -> Pass {
    Pass { name, run }
}

/// The passes in their order.
pub const PASSES: &[Pass] = &[
    pass("loops", loops::lower),
    pass("group_counts", group_counts::lower),
    pass("emission", emission::lower),
    pass("reductions", reductions::lower),
    pass("reorder", reorder::lower),
    pass("scan", scan::lower),
    pass("fft", fft::lower),
    pass("paging", paging::lower),
    pass("fill", fill::lower),
    pass("stages", stages::lower),
    pass("unpack", unpack::lower),
    pass("measures", measures::lower),
    pass("watch", watch::lower),
    pass("rings", rings::lower),
];

/// Runs the remaining passes, up to the pass `last`.
pub fn lower(meaning: &mut Meaning, last: Option<&str>) {
    while let Some(pass) = PASSES.get(meaning.passed) {
        (pass.run)(meaning);
        meaning.passed += 1;
        if last == Some(pass.name) {
            return;
        }
    }
}
