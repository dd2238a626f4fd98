//! How far from its own element a kernel accesses a field.

use std::fmt;

/// How far from its own element an access may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Reach {
    /// So many cells along each axis; 0 is the own element. On another level of the grid they are cells of that level, from
    /// those that the own cell covers or lies in.
    Cells(u32),
    #[default]
    Anywhere,
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
