//! The reach of a kernel: the distance from its own element up to which it accesses a field.

use std::fmt;

/// The largest distance of an access from the own element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Reach {
    /// A number of cells along each axis; 0 is the own element. On another level of the grid, cells of that level count, from
    /// the cells that overlap the own cell.
    Cells(u32),
    #[default]
    Anywhere,
}

/// The reaches of the accesses to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Reaches {
    /// Of all accesses.
    pub all: Reach,
    /// Of those that write.
    pub writes: Reach,
}

impl Reaches {
    /// The least that allows both.
    pub fn joined(self, other: Reaches) -> Reaches {
        Reaches {
            all: self.all.max(other.all),
            writes: self.writes.max(other.writes),
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reach::Cells(0) => f.write_str("its own element"),
            Reach::Cells(1) => f.write_str("1 cell"),
            Reach::Cells(cells) => write!(f, "{cells} cells"),
            Reach::Anywhere => f.write_str("anywhere"),
        }
    }
}
