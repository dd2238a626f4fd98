//! The numbers of one frame.

/// The bytes of one frame, usually in staging buffers, which return to their pool when it is dropped.
pub trait Payload: Send {
    /// The elements of part `number`, tightly packed, in the machine's byte order; empty if there is no such part.
    fn part(&self, number: usize) -> &[u8];
}

impl Payload for Vec<u8> {
    fn part(&self, number: usize) -> &[u8] {
        match number {
            0 => self,
            _ => &[],
        }
    }
}

impl Payload for Vec<Vec<u8>> {
    fn part(&self, number: usize) -> &[u8] {
        self.get(number).map_or(&[], Vec::as_slice)
    }
}
