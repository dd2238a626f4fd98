//! The transform of a file's points into world space.

/// Scales, then turns about the x, y and z axes in this order, then moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Placing {
    /// The columns of the matrix: the images of the unit vectors.
    columns: [[f64; 3]; 3],
    /// m
    shift: [f64; 3],
}

impl Placing {
    /// Factors along the axes of the file, angles in degrees about the axes of the world, and a translation in metres.
    pub fn new(scale: [f64; 3], degrees: [f64; 3], shift: [f64; 3]) -> Placing {
        let columns = [0, 1, 2].map(|axis| {
            let mut column = [0.0; 3];
            column[axis] = scale[axis];
            for (axis, angle) in degrees.iter().enumerate() {
                let (sine, cosine) = sine_and_cosine(*angle);
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                (column[u], column[v]) = (
                    cosine * column[u] - sine * column[v],
                    sine * column[u] + cosine * column[v],
                );
            }
            column
        });
        Placing { columns, shift }
    }

    pub fn apply(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = self.columns;
        [0, 1, 2].map(|axis| a[axis] * x + b[axis] * y + c[axis] * z + self.shift[axis])
    }
}

/// Sine and cosine, exact for quarter turns.
fn sine_and_cosine(degrees: f64) -> (f64, f64) {
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => degrees.to_radians().sin_cos(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placing_scales_rotates_then_translates() {
        let placing = Placing::new([2.0, 1.0, 1.0], [90.0, 0.0, 90.0], [10.0, 0.0, 0.0]);
        // About x, y becomes z and z becomes -y; about z, x becomes y and y becomes -x.
        assert_eq!(placing.apply([1.0, 0.0, 0.0]), [10.0, 2.0, 0.0]);
        assert_eq!(placing.apply([0.0, 1.0, 0.0]), [10.0, 0.0, 1.0]);
        assert_eq!(placing.apply([0.0, 0.0, 1.0]), [11.0, 0.0, 0.0]);
    }

    #[test]
    fn rotations_keep_lengths() {
        let placing = Placing::new([1.0; 3], [10.0, 200.0, -35.0], [0.0; 3]);
        let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
        assert!((length(placing.apply([1.0, -2.0, 3.0])) - 14f64.sqrt()).abs() < 1e-12);
        assert_ne!(placing.apply([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0]);
    }
}
