//! Where in a grid's cells the values of a channel lie, and what a read beyond the border of a channel gives.

/// Where in their cells the values of a channel lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Location {
    #[default]
    Centre,
    /// On the faces that stand across an axis.
    Face(usize),
    /// At the corners of cells.
    Node,
}

impl Location {
    /// How many more values than cells there are along an axis.
    pub(crate) fn more(self, axis: usize) -> u64 {
        u64::from(self == Location::Node || self == Location::Face(axis))
    }

    /// Where along an axis a value lies, in sides of the cell with the same index.
    pub(crate) fn offset(self, axis: usize) -> f64 {
        match self.more(axis) {
            0 => 0.5,
            _ => 0.0,
        }
    }

    /// As pipeline files write it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Location::Centre => "centre",
            Location::Face(0) => "face_x",
            Location::Face(1) => "face_y",
            Location::Face(_) => "face_z",
            Location::Node => "node",
        }
    }
}

/// What a read beyond the border of a channel gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Border {
    Background,
    /// The value at the nearest index.
    Clamp,
    /// The value one period away.
    Repeat,
}
