//! Unchecked triangles of a file.

/// Vertices and triangles in the order of a file.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Soup {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    /// Adds a polygon as a fan of triangles. The error names a corner that is not a vertex.
    pub fn polygon(&mut self, corners: &[u32]) -> Result<(), u32> {
        let known = self.vertices.len();
        if let Some(corner) = corners.iter().find(|corner| **corner as usize >= known) {
            return Err(*corner);
        }
        if let [first, rest @ ..] = corners {
            let fan = rest.windows(2).map(|pair| [*first, pair[0], pair[1]]);
            self.triangles.extend(fan);
        }
        Ok(())
    }
}
