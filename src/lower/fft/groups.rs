//! Workgroups of a pass: their numbers of lines and of invocations.

use super::radices::radices;

/// Bytes of shared memory on every device.
const SHARED_BYTES: u64 = 32 << 10;
/// Largest number of parts of an exchange: each costs four barriers, which drivers on processors compile slowly.
const MAX_PARTS: u64 = 4;
/// Largest number of invocations of a workgroup.
const MAX_INVOCATIONS: u64 = 1024;
/// Values that an invocation holds of a long line.
const VALUES: u64 = 16;
/// Length of the longest line of which an invocation holds one butterfly.
const SHORT: u64 = 512;
/// Length of the shortest column of which an invocation holds twice as many values, so that a workgroup takes more columns.
const LONG_COLUMN: u64 = 2049;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineGroups {
    /// Lines of a workgroup.
    pub lines: u64,
    /// Invocations of a line.
    pub threads: u64,
    /// Number of parts in which values are exchanged: first all real parts, then all imaginary ones.
    pub parts: u64,
}

impl LineGroups {
    /// `across`: neighbouring lines have neighbouring values, so that a workgroup needs several lines to load whole sectors
    /// of memory; `back`: the convolution uses the radices in both orders. The sizes were the fastest ones on an H200.
    pub(super) fn new(n: u64, lines: u64, across: bool, back: bool) -> LineGroups {
        let radices = radices(n).unwrap_or_default();
        let largest = radices.iter().copied().max().unwrap_or(1);
        let values = match n {
            _ if n <= SHORT => largest,
            _ if across && n >= LONG_COLUMN => 2 * VALUES,
            _ => VALUES,
        };
        let threads = radices
            .iter()
            .map(|radix| (n / radix).div_ceil((values / radix).max(1)));
        let threads = threads.max().unwrap_or(1);
        let wanted = if across {
            [(16, 256), (8, 512), (4, 1024), (2, 1024)]
                .into_iter()
                .find(|(width, most)| width * threads <= *most)
                .map_or(1, |(width, _)| width)
        } else if n <= SHORT {
            (256 / threads).max(1)
        } else {
            (128 / threads).max(1)
        };
        let mut width = wanted
            .min(lines.next_power_of_two())
            .min(MAX_INVOCATIONS / threads)
            .max(1);
        // Parts begin and end between butterflies of all stages that load from them.
        let loading = &radices[(if back { 0 } else { 1 }).min(radices.len())..];
        let common = loading.iter().copied().fold(0, gcd);
        let fitting = |width: u64| {
            (1..=common.clamp(1, MAX_PARTS))
                .filter(|parts| common.is_multiple_of(*parts))
                .map(|parts| LineGroups {
                    lines: width,
                    threads,
                    parts,
                })
                .find(|groups| groups.bytes(n) <= SHARED_BYTES)
        };
        loop {
            match fitting(width) {
                Some(groups) => return groups,
                None if width == 1 => {
                    return LineGroups {
                        lines: 1,
                        threads,
                        parts: 1,
                    };
                }
                None => width /= 2,
            }
        }
    }

    /// Returns true if devices support it.
    pub(super) fn fits(&self, n: u64) -> bool {
        self.bytes(n) <= SHARED_BYTES && self.lines * self.threads <= MAX_INVOCATIONS
    }

    /// Elements of the shared array. One of 17 is unused, so that values at distances of powers of two are in different banks.
    pub(super) fn shared(&self, n: u64) -> u64 {
        let values = n * self.lines / self.parts;
        values + values / 16 + 1
    }

    fn bytes(&self, n: u64) -> u64 {
        4 * self.shared(n)
    }

    /// Butterflies of an invocation in a stage.
    pub(super) fn rounds(&self, n: u64, radix: u64) -> u64 {
        (n / radix).div_ceil(self.threads)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::super::radices::{MAX_UNSPLIT_LINE, is_smooth};
    use super::*;

    #[test]
    fn fft_lines_fit_into_a_workgroup() {
        for n in (1..=MAX_UNSPLIT_LINE).filter(|n| is_smooth(*n)) {
            for (across, back) in [(false, false), (true, false), (true, true)] {
                let groups = LineGroups::new(n, 1 << 20, across, back);
                assert!(groups.fits(n), "{n}: {groups:?}");
            }
        }
    }
}
