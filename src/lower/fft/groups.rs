//! Workgroups of a pass: their numbers of lines and of invocations.

use super::radices::radices;

/// Banks of shared memory, of 4 bytes each.
pub(super) const BANKS: u64 = 32;
/// Bytes of shared memory on every device.
const SHARED_BYTES: u64 = 32 << 10;
/// Largest number of parts of an exchange: each costs four barriers, which drivers on processors compile slowly.
const MAX_PARTS: u64 = 4;
/// Largest number of invocations of a workgroup.
const MAX_INVOCATIONS: u64 = 1024;
/// Values that an invocation holds of a long line. An exchange of so many takes parts even if all fit into shared memory:
/// then more workgroups share a processor.
const VALUES: u64 = 16;

/// How the lines of a pass follow each other in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neighbours {
    /// One line after the other.
    Rows,
    /// Neighbouring lines have neighbouring values, so a workgroup needs several lines to access whole sectors.
    Columns,
    /// Columns that are parts of longer lines.
    Parts,
    /// Rows when they are loaded, columns when they are stored, or the other way round.
    Turned,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineGroups {
    /// Lines of a workgroup.
    pub lines: u64,
    /// Invocations of a line.
    pub threads: u64,
    /// Number of parts in which values are exchanged: first all real parts, then all imaginary ones.
    pub parts: u64,
    /// One slot of 33 is unused, so that values at distances of powers of two are in different banks.
    pub padded: bool,
}

impl LineGroups {
    /// `lines`: of the whole pass; `back`: the convolution uses the radices in both orders.
    pub(super) fn new(n: u64, lines: u64, neighbours: Neighbours, back: bool) -> LineGroups {
        let radices = radices(n).unwrap_or_default();
        let values = neighbours.values(n, radices.iter().copied().max().unwrap_or(1));
        let threads = radices
            .iter()
            .map(|radix| (n / radix).div_ceil((values / radix).max(1)));
        let threads = threads.max().unwrap_or(1);
        let held = radices
            .iter()
            .map(|radix| (n / radix).div_ceil(threads) * radix)
            .max();
        // Parts begin and end between butterflies of all stages that load from them.
        let loading = &radices[(if back { 0 } else { 1 }).min(radices.len())..];
        let common = loading.iter().copied().fold(0, gcd).max(1);
        let mut parts: Vec<u64> = (1..=MAX_PARTS)
            .filter(|parts| common.is_multiple_of(*parts))
            .collect();
        if parts.len() > 1 && held >= Some(VALUES) {
            parts.remove(0);
        }
        let first = radices.first().copied().unwrap_or(1);
        let mut lines = neighbours
            .lines(n, threads)
            .min(lines.next_power_of_two())
            .min(MAX_INVOCATIONS / threads)
            .max(1);
        loop {
            let mut candidates = parts.iter().map(|parts| LineGroups {
                lines,
                threads,
                parts: *parts,
                padded: neighbours.is_padded(first, lines),
            });
            match candidates.find(|groups| groups.bytes(n) <= SHARED_BYTES) {
                Some(groups) => return groups,
                None if lines == 1 => {
                    return LineGroups {
                        lines,
                        threads,
                        parts: 1,
                        padded: neighbours.is_padded(first, lines),
                    };
                }
                None => lines /= 2,
            }
        }
    }

    /// Returns true if devices support it.
    pub(super) fn fits(&self, n: u64) -> bool {
        self.bytes(n) <= SHARED_BYTES && self.lines * self.threads <= MAX_INVOCATIONS
    }

    /// Elements of the shared array.
    pub(super) fn shared(&self, n: u64) -> u64 {
        let values = n * self.lines / self.parts;
        values + if self.padded { values / BANKS + 1 } else { 0 }
    }

    fn bytes(&self, n: u64) -> u64 {
        4 * self.shared(n)
    }

    /// Butterflies of an invocation in a stage.
    pub(super) fn rounds(&self, n: u64, radix: u64) -> u64 {
        (n / radix).div_ceil(self.threads)
    }
}

/// The sizes are the fastest ones on an H200.
impl Neighbours {
    /// Values that an invocation should hold of a line of `n`: those of one butterfly, or more.
    fn values(self, n: u64, largest_radix: u64) -> u64 {
        let [short, middle] = match self {
            Neighbours::Rows => [512, u64::MAX],
            // With twice as many values, a workgroup takes more columns.
            Neighbours::Columns => [256, 512],
            Neighbours::Parts | Neighbours::Turned => [256, 2048],
        };
        match n {
            _ if n <= short => largest_radix,
            _ if n <= middle => VALUES,
            _ => 2 * VALUES,
        }
    }

    /// Lines that a workgroup should take, if it has enough memory.
    fn lines(self, n: u64, threads: u64) -> u64 {
        let most = match self {
            Neighbours::Rows => {
                return match n {
                    ..=512 => 256 / threads,
                    513..=1024 => (128 / threads).max(2),
                    _ => 128 / threads,
                };
            }
            Neighbours::Columns => [(16, 640), (8, 1024)],
            Neighbours::Parts | Neighbours::Turned => [(16, 512), (8, 512)],
        };
        most.into_iter()
            .chain([(4, 1024), (2, 1024)])
            .find(|(lines, most)| lines * threads <= *most)
            .map_or(1, |(lines, _)| lines)
    }

    /// Returns true if a stage that writes at distances of its radix would use few banks: the invocations of a subgroup have
    /// one line, or a value of all lines, or few neighbouring values of all lines.
    fn is_padded(self, radix: u64, lines: u64) -> bool {
        match self {
            Neighbours::Rows => radix.is_multiple_of(4),
            Neighbours::Turned => (radix * lines).is_multiple_of(4),
            Neighbours::Columns | Neighbours::Parts => lines < 8 && radix.is_multiple_of(4),
        }
    }
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::super::radices::{MAX_UNSPLIT_LINE, is_smooth};
    use super::*;

    #[test]
    fn fft_lines_fit_into_a_workgroup() {
        use Neighbours::{Columns, Parts, Rows, Turned};
        for n in (1..=MAX_UNSPLIT_LINE).filter(|n| is_smooth(*n)) {
            for neighbours in [Rows, Columns, Parts, Turned] {
                for back in [false, true] {
                    let groups = LineGroups::new(n, 1 << 20, neighbours, back);
                    assert!(groups.fits(n), "{n}, {neighbours:?}: {groups:?}");
                }
            }
        }
    }
}
