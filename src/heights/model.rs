//! Elevation models as files contain them.

use super::georeference::Georeference;

/// Maximum side, pixels.
const MAX_SIDE: u64 = 65_536;

/// The header of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Pixels in x and y.
    pub size: [u64; 2],
    /// Distance between neighbouring pixels in x and y, if the file states it.
    pub metres_per_pixel: Option<[f64; 2]>,
    /// Height of one level, if the file states it.
    pub metres_per_level: Option<f64>,
    /// Its position on a map, if the file states it.
    pub georeference: Option<Georeference>,
}

/// An elevation model without gaps.
#[derive(Debug)]
pub struct Model {
    /// Its size and scales.
    pub header: Header,
    /// x fastest, north row first.
    pub levels: Vec<f64>,
    /// Number of pixels without data, which were filled from their neighbours.
    pub filled: usize,
}

/// Checks the size of a file.
pub(super) fn check_size(width: u64, height: u64) -> Result<[u64; 2], String> {
    if [width, height].iter().all(|side| (2..=MAX_SIDE).contains(side)) {
        Ok([width, height])
    } else {
        Err(format!(
            "{width} x {height} pixels; each side must have 2 to {MAX_SIDE}"
        ))
    }
}
