//! Sequences that repeat in a list, such as the iterations of a solver.

use std::ops::Range;

/// The longest sequence that is looked for.
const MAX_LENGTH: usize = 128;

/// Items that a list has several times, one after the other. `times` is 1 for an item that does not repeat.
#[derive(Debug, PartialEq)]
pub struct Repeated {
    pub items: Range<usize>,
    pub times: usize,
}

/// Divides a list into sequences with their repetitions: from the front, the sequence that leaves the fewest items.
pub fn repeated<T: PartialEq>(list: &[T]) -> Vec<Repeated> {
    let mut found = Vec::new();
    let mut first = 0;
    while first < list.len() {
        let rest = &list[first..];
        let lengths = 1..=MAX_LENGTH.min(rest.len() / 2);
        let saved = |length: &usize| length * (times(rest, *length) - 1);
        // Of several, the first is the shortest.
        let length = lengths.rev().max_by_key(saved).unwrap_or(1);
        let times = times(rest, length);
        // A sequence that does not repeat is one item.
        let length = if times == 1 { 1 } else { length };
        found.push(Repeated {
            items: first..first + length,
            times,
        });
        first += length * times;
    }
    found
}

/// How often the first items of a list follow one another.
fn times<T: PartialEq>(list: &[T], length: usize) -> usize {
    let (sequence, mut others) = (&list[..length], list.chunks_exact(length));
    others
        .position(|other| other != sequence)
        .unwrap_or(list.len() / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(String, usize)> {
        let letters: Vec<char> = text.chars().collect();
        let all = repeated(&letters).into_iter();
        all.map(|of| (letters[of.items].iter().collect(), of.times))
            .collect()
    }

    fn spelled(found: &[(String, usize)]) -> String {
        found.iter().map(|(items, times)| items.repeat(*times)).collect()
    }

    #[test]
    fn sequences_that_repeat_are_found() {
        let expected = |items: &[(&str, usize)]| -> Vec<(String, usize)> {
            items
                .iter()
                .map(|(text, times)| (text.to_string(), *times))
                .collect()
        };
        assert_eq!(of(""), expected(&[]));
        assert_eq!(of("abc"), expected(&[("a", 1), ("b", 1), ("c", 1)]));
        assert_eq!(of("aaaa"), expected(&[("a", 4)]));
        assert_eq!(of("xabababy"), expected(&[("x", 1), ("ab", 3), ("y", 1)]));
        // The longer one, which repeats whole, instead of the two letters at its start.
        assert_eq!(of("aabaabaab"), expected(&[("aab", 3)]));
    }

    #[test]
    fn repetitions_spell_the_list() {
        for text in ["abcabcabd", "aabbaabb", "abacabacx", "aaabaaab"] {
            assert_eq!(spelled(&of(text)), text);
        }
    }
}
