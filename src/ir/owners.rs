//! Arrays whose entries alternate between elements: each step accesses an entry from one element, and the next step from
//! another one, as values that stream through a lattice in place do.

use std::fmt;

/// Largest number of pairs of entries.
pub const MAX_PAIRS: usize = 32;

/// The offsets of the pairs of entries 1 and 2, 3 and 4, and so on. Entry 0 has none.
///
/// In even steps, the first entry of a pair belongs to the element that is the offset before, and the second to its own; in odd
/// steps it is the reverse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pairs {
    count: u8,
    offsets: [[i8; 3]; MAX_PAIRS],
}

/// How a kernel accesses an array whose entries alternate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Alternation {
    pub pairs: Pairs,
    /// It also reads entries that belonged to its element in the last step.
    pub last: bool,
}

/// The elements to which the entries of an array belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Owners {
    /// Entries belong to their own element.
    #[default]
    Own,
    /// Entries belong to the elements that access them in odd steps, or in even ones.
    Alternating { pairs: Pairs, odd: bool },
}

impl Pairs {
    /// `None` for too many pairs.
    pub fn new(offsets: &[[i8; 3]]) -> Option<Pairs> {
        let mut all = [[0; 3]; MAX_PAIRS];
        all.get_mut(..offsets.len())?.copy_from_slice(offsets);
        Some(Pairs {
            count: offsets.len() as u8,
            offsets: all,
        })
    }

    pub fn offsets(&self) -> &[[i8; 3]] {
        &self.offsets[..usize::from(self.count)]
    }

    /// Number of entries of an array with these pairs.
    pub fn entries(&self) -> u32 {
        2 * u32::from(self.count) + 1
    }

    /// The largest coordinate of an offset.
    pub fn farthest(&self) -> u32 {
        let all = self.offsets().iter().flatten();
        all.map(|offset| u32::from(offset.unsigned_abs()))
            .max()
            .unwrap_or(0)
    }
}

impl fmt::Debug for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.offsets().fmt(f)
    }
}

impl Owners {
    /// An entry of element `i` belongs to element `i` minus this offset.
    pub fn offset(&self, entry: u32) -> [i64; 3] {
        let Owners::Alternating { pairs, odd } = self else {
            return [0; 3];
        };
        let Some(pair) = entry.checked_sub(1).map(|entry| entry as usize / 2) else {
            return [0; 3];
        };
        // The first entry of a pair has an odd number.
        let is_far = (entry % 2 == 1) != *odd;
        let offset = pairs.offsets().get(pair).filter(|_| is_far);
        offset.map_or([0; 3], |offset| offset.map(i64::from))
    }

    /// The owners in a step, of owners that are stated for even steps.
    pub fn in_step(self, step: u64) -> Owners {
        match self {
            Owners::Own => Owners::Own,
            Owners::Alternating { pairs, odd } => Owners::Alternating {
                pairs,
                odd: odd != (step % 2 == 1),
            },
        }
    }

    /// The largest distance between two owners of an entry along some axes.
    pub fn apart(&self, other: &Owners, axes: [bool; 3]) -> u32 {
        if self == other {
            return 0;
        }
        let count = |owners: &Owners| match owners {
            Owners::Own => 0,
            Owners::Alternating { pairs, .. } => pairs.entries(),
        };
        let entries = 0..count(self).max(count(other));
        let distances = entries.flat_map(|entry| {
            let (a, b) = (self.offset(entry), other.offset(entry));
            (0..3)
                .filter(move |axis| axes[*axis])
                .map(move |axis| a[axis].abs_diff(b[axis]))
        });
        distances.max().unwrap_or(0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners(odd: bool) -> Owners {
        let pairs = Pairs::new(&[[1, 0, 0], [1, -1, 2]]).unwrap();
        Owners::Alternating { pairs, odd }
    }

    #[test]
    fn entries_of_a_pair_take_turns() {
        let (even, odd) = (owners(false), owners(true));
        let of = |owners: &Owners| (0..6).map(|entry| owners.offset(entry)).collect::<Vec<_>>();
        let none = [0; 3];
        assert_eq!(of(&even), [none, [1, 0, 0], none, [1, -1, 2], none, none]);
        assert_eq!(of(&odd), [none, none, [1, 0, 0], none, [1, -1, 2], none]);
        assert_eq!((even.in_step(4), even.in_step(5)), (even, odd));
        assert_eq!((odd.in_step(5), Owners::Own.in_step(5)), (even, Owners::Own));
    }

    #[test]
    fn distances_count_along_the_given_axes() {
        let (even, odd) = (owners(false), owners(true));
        assert_eq!(even.apart(&odd, [true; 3]), 2);
        assert_eq!(even.apart(&odd, [true, true, false]), 1);
        assert_eq!(even.apart(&Owners::Own, [false, true, true]), 2);
        assert_eq!(even.apart(&even, [true; 3]), 0);
        assert_eq!(even.apart(&odd, [false; 3]), 0);
    }

    #[test]
    fn too_many_pairs_are_refused() {
        assert!(Pairs::new(&[[1, 0, 0]; MAX_PAIRS]).is_some());
        assert!(Pairs::new(&[[1, 0, 0]; MAX_PAIRS + 1]).is_none());
    }
}
