//! Locations of the values of a channel in the cells of its grid, and the borders of channels.

/// The location of the values of a channel in their cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Location {
    #[default]
    Centre,
    /// On the faces perpendicular to an axis.
    Face(usize),
    /// At the corners of cells.
    Node,
}

impl Location {
    /// Returns true if values are at the ends of cells along an axis.
    fn is_at_ends(self, axis: usize) -> bool {
        self == Location::Node || self == Location::Face(axis)
    }

    /// Number of values minus number of cells along an axis. If the border repeats, the last end is the first one.
    pub fn more(self, borders: Option<Borders>, axis: usize) -> u64 {
        let repeats = borders.is_some_and(|borders| borders.along(axis) == Border::Repeat);
        u64::from(self.is_at_ends(axis) && !repeats)
    }

    /// The position of a value along an axis, relative to the cell with the same index, in sides of the cell.
    pub fn offset(self, axis: usize) -> f64 {
        if self.is_at_ends(axis) { 0.0 } else { 0.5 }
    }

    /// Its word in pipeline files.
    pub fn key(self) -> &'static str {
        match self {
            Location::Centre => "centre",
            Location::Face(0) => "face_x",
            Location::Face(1) => "face_y",
            Location::Face(_) => "face_z",
            Location::Node => "node",
        }
    }
}

/// The result of a read beyond the border of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Border {
    Background,
    /// The value at the nearest index.
    Clamp,
    /// The value one period away.
    Repeat,
    /// The value at the mirror image of the index.
    Symmetric,
    /// The opposite of the value at the mirror image.
    Antisymmetric,
}

impl Border {
    /// Returns true if values beyond the border differ from each other. Otherwise all of them are equal to the first one.
    pub fn continues(self) -> bool {
        matches!(self, Border::Repeat | Border::Symmetric | Border::Antisymmetric)
    }
}

/// The borders of a channel, by axis. Axes that the lattice does not have repeat the border of its last axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Borders([Border; 3]);

impl Borders {
    /// The borders along the axes of a lattice, as listed.
    pub fn of_axes(listed: &[Border]) -> Option<Borders> {
        let last = listed.last()?;
        Some(Borders(std::array::from_fn(|axis| {
            *listed.get(axis).unwrap_or(last)
        })))
    }

    pub fn along(self, axis: usize) -> Border {
        self.0[axis]
    }

    /// The border of all axes, if it is the same one.
    pub fn same(self) -> Option<Border> {
        let [first, ..] = self.0;
        self.0.iter().all(|border| *border == first).then_some(first)
    }

    /// The axes with a border, among the first ones of a lattice.
    pub fn axes_with(self, border: Border, axes: usize) -> impl Iterator<Item = usize> {
        (0..axes).filter(move |axis| self.0[*axis] == border)
    }
}

impl From<Border> for Borders {
    fn from(border: Border) -> Borders {
        Borders([border; 3])
    }
}
