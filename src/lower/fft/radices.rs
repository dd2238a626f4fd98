//! Lengths of transforms: their radices, and the split of long ones.

/// Largest radix of a butterfly in registers.
const MAX_RADIX: u64 = 16;
/// Length of the longest line that one workgroup transforms.
pub(super) const MAX_LINE: u64 = 4096;
/// Length of the longest line along the first axis, of which a workgroup needs only one.
pub(super) const MAX_ROW: u64 = 16_384;
/// Length of the longest line that cannot be split: real parts of a whole line fit into shared memory.
pub(super) const MAX_UNSPLIT_LINE: u64 = 7680;
/// Length of the longest transform.
pub const MAX_LENGTH: u64 = 1 << 24;

/// Radices of 2 to 16 whose product is `n`, largest first: as few as possible, then the smallest ones. Empty for 1;
/// `None` if `n` has a prime factor above 13.
pub(super) fn radices(n: u64) -> Option<Vec<u64>> {
    /// The best continuation of radices that are at most `most`.
    fn search(n: u64, most: u64) -> Option<Vec<u64>> {
        if n == 1 {
            return Some(Vec::new());
        }
        let candidates = (2..=most.min(n)).filter(|radix| n.is_multiple_of(*radix));
        let found = candidates.filter_map(|radix| {
            let mut list = vec![radix];
            list.extend(search(n / radix, radix)?);
            Some(list)
        });
        found.min_by_key(|list| (list.len(), list[0], list.iter().sum::<u64>()))
    }
    is_smooth(n).then(|| search(n, MAX_RADIX)).flatten()
}

/// Returns true if a length has only the prime factors 2, 3, 5, 7, 11 and 13.
pub(super) fn is_smooth(mut n: u64) -> bool {
    for prime in [2, 3, 5, 7, 11, 13] {
        while n > 0 && n.is_multiple_of(prime) {
            n /= prime;
        }
    }
    n == 1
}

/// The two lengths of the four-step method for a smooth length, whose product it is, as similar as possible; `None` if a
/// workgroup takes a whole line, or no two lines are short enough.
pub(super) fn split(n: u64) -> Option<[u64; 2]> {
    if n <= MAX_LINE {
        return None;
    }
    let root = (n as f64).sqrt() as u64 + 1;
    let first = (1..=root).rev().find(|first| n.is_multiple_of(*first))?;
    (n / first <= MAX_UNSPLIT_LINE).then_some([n / first, first])
}

/// Returns true if a length is transformed without a convolution of another length.
pub(super) fn is_direct(n: u64) -> bool {
    is_smooth(n) && (n <= MAX_LINE || split(n).is_some())
}

/// The length of the cyclic convolution by which Bluestein's method transforms `n` values.
pub(super) fn convolution(n: u64) -> u64 {
    let mut length = 2 * n - 1;
    while !is_direct(length) {
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fft_radices_are_few_and_small() {
        assert_eq!(radices(1), Some(Vec::new()));
        assert_eq!(radices(13).unwrap(), [13]);
        assert_eq!(radices(64).unwrap(), [8, 8]);
        assert_eq!(radices(512).unwrap(), [8, 8, 8]);
        assert_eq!(radices(1000).unwrap(), [10, 10, 10]);
        assert_eq!(radices(4096).unwrap(), [16, 16, 16]);
        assert_eq!(radices(17), None);
    }

    #[test]
    fn smooth_lengths_factor_into_radices() {
        for n in (1..=MAX_LINE).filter(|n| is_smooth(*n)) {
            assert_eq!(radices(n).unwrap().iter().product::<u64>(), n);
        }
    }

    #[test]
    fn all_lengths_have_an_fft_plan() {
        for power in 13..=24 {
            assert_eq!(split(1 << power).unwrap().iter().product::<u64>(), 1 << power);
        }
        for n in [17, 1009, 10_007, 65_537, 1_000_003, MAX_LENGTH - 3] {
            let length = convolution(n);
            assert!(length >= 2 * n - 1 && is_direct(length), "{n}: {length}");
        }
        // Powers of 3 that no two lines of 4096 make.
        assert_eq!(split(3u64.pow(15)), Some([6561, 2187]));
    }
}
