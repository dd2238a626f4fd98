//! What is read from a file.

/// Largest side that is accepted, pixels.
const LARGEST_SIDE: u64 = 65_536;

/// What a file says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Pixels in x and y.
    pub size: [u64; 2],
    /// Distance between neighbouring pixels in x and y, if the file says it.
    pub metres_per_pixel: Option<[f64; 2]>,
    /// Height of one level, if the file says it.
    pub metres_per_level: Option<f64>,
}

/// An elevation model without gaps.
#[derive(Debug)]
pub struct Model {
    /// Its size and scales.
    pub header: Header,
    /// x fastest, north row first.
    pub levels: Vec<f64>,
    /// How many pixels had no data. They were filled from their neighbours.
    pub filled: usize,
}

/// The size of a file with so many pixels, if it is accepted.
pub(super) fn check_size(width: u64, height: u64) -> Result<[u64; 2], String> {
    match [width, height]
        .iter()
        .all(|side| (2..=LARGEST_SIDE).contains(side))
    {
        true => Ok([width, height]),
        false => Err(format!(
            "{width} x {height} pixels; each side must have 2 to {LARGEST_SIDE}"
        )),
    }
}
