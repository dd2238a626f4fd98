//! Work on slices and ranges by all processor cores. What comes out does not depend on how many there are.

use std::ops::Range;
use std::sync::Mutex;
use std::thread;

/// Pieces per thread: some take longer than others.
const PIECES: usize = 4;

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Cuts 0..`length` into a few consecutive pieces per thread, of at least `least` each.
pub fn pieces(length: u32, least: u32) -> Vec<Range<u32>> {
    let wanted = (threads() * PIECES) as u32;
    let size = length.div_ceil(wanted).max(least).max(1);
    let starts = (0..length).step_by(size as usize);
    starts
        .map(|start| start..start.saturating_add(size).min(length))
        .collect()
}

/// Does `work` on every item, and returns the results in the order of the items.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = items.len();
    if count <= 1 || threads() == 1 {
        return items.into_iter().map(work).collect();
    }
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || {
        queue
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .next()
    };
    let mut done: Vec<(usize, R)> = Vec::with_capacity(count);
    thread::scope(|scope| {
        let worker = || {
            let mut results = Vec::new();
            while let Some((number, item)) = next() {
                results.push((number, work(item)));
            }
            results
        };
        let workers: Vec<_> = (0..threads().min(count)).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            match worker.join() {
                Ok(results) => done.extend(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_whole_in_order() {
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
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, 2, 1000] {
            let results = map((0..count).collect(), |item: u32| item * item);
            assert_eq!(results, (0..count).map(|item| item * item).collect::<Vec<_>>());
        }
    }
}
