//! Numbers of the format, little-endian, and its checksum.

use std::io;

/// An address that refers to nothing.
pub(super) const UNDEFINED: u64 = u64::MAX;

pub(super) trait Put {
    fn number(&mut self, value: u64, bytes: usize) -> &mut Self;
}

impl Put for Vec<u8> {
    /// The lowest `bytes` bytes of a number.
    fn number(&mut self, value: u64, bytes: usize) -> &mut Vec<u8> {
        self.extend_from_slice(&value.to_le_bytes()[..bytes]);
        self
    }
}

/// Reads bytes from the front of a slice.
pub(super) struct Take<'a>(pub &'a [u8]);

impl<'a> Take<'a> {
    pub fn bytes(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(front)
    }

    pub fn number(&mut self, bytes: usize) -> io::Result<u64> {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(self.bytes(bytes)?);
        Ok(u64::from_le_bytes(word))
    }
}

pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is damaged")
}

/// Adds the checksum of all bytes so far.
pub(super) fn seal(bytes: &mut Vec<u8>) {
    let sum = checksum(bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// The bytes before a checksum, if it is that of them.
pub(super) fn unseal(bytes: &[u8]) -> io::Result<&[u8]> {
    let (content, sum) = bytes.split_last_chunk::<4>().ok_or_else(damaged)?;
    if checksum(content) == u32::from_le_bytes(*sum) {
        Ok(content)
    } else {
        Err(damaged())
    }
}

/// `lookup3`, R. J. Jenkins 2006, for bytes in little-endian order with the initial value 0 (section III.A).
fn checksum(bytes: &[u8]) -> u32 {
    let mut state = [0xdead_beef_u32.wrapping_add(bytes.len() as u32); 3];
    let Some(last) = bytes.len().checked_sub(1) else {
        return state[2];
    };
    for (number, block) in bytes.chunks(12).enumerate() {
        for (word, part) in state.iter_mut().zip(block.chunks(4)) {
            let mut padded = [0; 4];
            padded[..part.len()].copy_from_slice(part);
            *word = word.wrapping_add(u32::from_le_bytes(padded));
        }
        state = if number < last / 12 {
            mixed(state)
        } else {
            closed(state)
        };
    }
    state[2]
}

/// Each line of the function's `mix` is the one before with its letters rotated.
fn mixed([mut a, mut b, mut c]: [u32; 3]) -> [u32; 3] {
    for rotation in [4, 6, 8, 16, 19, 4] {
        a = a.wrapping_sub(c) ^ c.rotate_left(rotation);
        c = c.wrapping_add(b);
        [a, b, c] = [b, c, a];
    }
    [a, b, c]
}

/// Each line of the function's `final` is the one before with its letters rotated.
fn closed([mut a, mut b, mut c]: [u32; 3]) -> [u32; 3] {
    for rotation in [14, 11, 25, 16, 4, 14, 24] {
        c = (c ^ b).wrapping_sub(b.rotate_left(rotation));
        [a, b, c] = [b, c, a];
    }
    // The result is in the letter before.
    [c, a, b]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_published_function() {
        // Values that the author's program prints for these texts.
        assert_eq!(checksum(b""), 0xdead_beef);
        assert_eq!(checksum(b"Four score and seven years ago"), 0x1777_0551);
        assert_ne!(checksum(b"Four score and seven years agp"), 0x1777_0551);
    }
}
