//! The lattice that a solid is filled on.

/// Maximum number of points of a fill.
pub const MAX_POINTS: u64 = 1 << 31;
/// Maximum number of lines, such as 4096 x 4096, and of points of a bounding box.
const MAX_LINES: u64 = 1 << 24;
const MAX_IN_BOX: u64 = 1 << 40;

/// A number in a message, with an exponent if it is very large or small.
pub fn brief(number: f64) -> String {
    if number == 0.0 || (1e-6..1e12).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

/// Consecutive points of a line that are inside the solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Number of the line in its row.
    pub(super) line: u32,
    pub(super) from: u32,
    /// One past the last.
    pub(super) to: u32,
}

/// Points at regular distances, centred in a box.
#[derive(Debug, Clone)]
pub(super) struct Lattice {
    centre: [f64; 3],
    /// Along x, y and z.
    spacing: [f64; 3],
    /// Points along x, y and z.
    pub(super) points: [u32; 3],
    /// The axes along lines, across lines within a row, and across rows.
    pub(super) axes: [usize; 3],
}

impl Lattice {
    pub(super) fn over([low, high]: [[f64; 3]; 2], spacing: f64) -> Result<Lattice, String> {
        let mut points = [1; 3];
        for axis in 0..3 {
            let length = high[axis] - low[axis];
            let is_float = |x: f64| (x as f32).is_finite();
            if !length.is_finite() || !is_float(low[axis]) || !is_float(high[axis]) {
                return Err(format!(
                    "it reaches from {} to {} m along {}, beyond the range of floats",
                    brief(low[axis]),
                    brief(high[axis]),
                    ["x", "y", "z"][axis]
                ));
            }
            let wanted = (length / spacing).round().max(1.0);
            if wanted > MAX_POINTS as f64 {
                return Err(format!(
                    "its {} m along {} have {} points, more than 2^31",
                    brief(length),
                    ["x", "y", "z"][axis],
                    brief(wanted)
                ));
            }
            points[axis] = wanted as u32;
        }
        let mut axes = [0, 1, 2];
        axes.sort_by_key(|axis| std::cmp::Reverse(points[*axis]));
        let lattice = Lattice {
            centre: [0, 1, 2].map(|axis| 0.5 * low[axis] + 0.5 * high[axis]),
            spacing: [spacing; 3],
            points,
            axes,
        };
        let lines = u64::from(lattice.lines()) * u64::from(lattice.rows());
        let [x, y, z] = points;
        if lines > MAX_LINES {
            return Err(format!(
                "its bounding box has {x} x {y} x {z} points of the lattice, more than 2^24 lines"
            ));
        }
        if lines * u64::from(lattice.length()) > MAX_IN_BOX {
            return Err(format!(
                "its bounding box has {x} x {y} x {z} points of the lattice, more than 2^40"
            ));
        }
        Ok(lattice)
    }

    /// A lattice of `points` points from the first one on, in lines along x and rows across z.
    pub(super) fn from(first: [f64; 3], spacing: [f64; 3], points: [u32; 3]) -> Lattice {
        let middle = |axis: usize| first[axis] + 0.5 * f64::from(points[axis] - 1) * spacing[axis];
        Lattice {
            centre: std::array::from_fn(middle),
            spacing,
            points,
            axes: [0, 1, 2],
        }
    }

    /// Points of a line.
    pub(super) fn length(&self) -> u32 {
        self.points[self.axes[0]]
    }

    /// Lines of a row.
    pub(super) fn lines(&self) -> u32 {
        self.points[self.axes[1]]
    }

    pub(super) fn rows(&self) -> u32 {
        self.points[self.axes[2]]
    }

    /// The coordinate along an axis that is written as `at` in units of the lattice.
    pub(super) fn metres(&self, axis: usize, at: u32) -> f64 {
        self.centre[axis] + (f64::from(at) - 0.5 * f64::from(self.points[axis] - 1)) * self.spacing[axis]
    }

    /// A position in units of the lattice: along lines, across lines, across rows.
    pub(super) fn units(&self, place: [f64; 3]) -> [f64; 3] {
        self.axes.map(|axis| {
            (place[axis] - self.centre[axis]) / self.spacing[axis] + 0.5 * f64::from(self.points[axis] - 1)
        })
    }
}
