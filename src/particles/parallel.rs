//! Work on ranges by all processor cores. Results do not depend on the number of cores.

use std::ops::Range;

use rayon::prelude::*;

/// Pieces per thread, to balance pieces of different cost.
const PIECES: usize = 4;

/// Cuts 0..`length` into a few consecutive pieces per thread, of at least `least` each.
pub fn pieces(length: u32, least: u32) -> Vec<Range<u32>> {
    let wanted = (rayon::current_num_threads() * PIECES) as u32;
    let size = length.div_ceil(wanted).max(least).max(1);
    let starts = (0..length).step_by(size as usize);
    starts
        .map(|start| start..start.saturating_add(size).min(length))
        .collect()
}

/// Does `work` on every item, and returns the results in the order of the items.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    items.into_par_iter().map(work).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_range_in_order() {
        for (length, least) in [
            (0, 1),
            (1, 1),
            (7, 3),
            (1000, 1),
            (1000, 400),
            (u32::MAX, 1 << 20),
        ] {
            let pieces = pieces(length, least);
            let mut at = 0;
            for piece in &pieces {
                assert_eq!(piece.start, at);
                assert!(piece.end > at && (piece.end - at >= least || piece.end == length));
                at = piece.end;
            }
            assert_eq!(at, length);
        }
    }

    #[test]
    fn parallel_results_keep_item_order() {
        for count in [0, 1, 2, 1000] {
            let results = map((0..count).collect(), |item: u32| item * item);
            assert_eq!(results, (0..count).map(|item| item * item).collect::<Vec<_>>());
        }
    }
}
