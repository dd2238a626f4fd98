//! The numbers of one frame, wherever they are.

/// The bytes of one frame, usually staging buffers: dropping it gives the buffers back to their pool.
pub(crate) trait Payload: Send {
    /// The elements of part `number`, tightly packed, in the machine's byte order; empty when there is none.
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
