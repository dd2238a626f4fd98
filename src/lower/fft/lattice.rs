//! The lines of a lattice along an axis: their order, and those through the elements of a part.

use std::fmt::Write;

/// The lines of a field along an axis. A value of a line is one number of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineLattice {
    /// The axis of the lines: 0 for x.
    pub axis: usize,
    /// Elements along each axis. That of the lines has no meaning.
    pub sides: [u64; 3],
    /// Numbers of an element, adjacent in memory.
    pub numbers: u64,
    /// Entries of an element, which follow one another in planes of z.
    pub entries: u64,
}

/// A dimension of the numbers of lines: the first of a part, the count in the part, and that in the whole lattice.
struct Dimension {
    first: String,
    count: String,
    whole: u64,
}

impl LineLattice {
    /// Number of values with equal index along the axis that are adjacent in memory.
    pub fn low(&self) -> u64 {
        let before: u64 = self.sides[..self.axis].iter().product();
        self.numbers * before * if self.axis == 2 { self.entries } else { 1 }
    }

    /// Number of times that the values of all indices along the axis follow one another.
    pub fn high(&self) -> u64 {
        let after: u64 = self.sides[self.axis + 1..].iter().product();
        after * if self.axis == 2 { 1 } else { self.entries }
    }

    /// The dimensions in the order of memory. `mid` lines of a pass are parts of one line.
    fn dimensions(&self, mid: u64) -> [Dimension; 5] {
        let fixed = |whole: u64| Dimension {
            first: "0u".into(),
            count: format!("{whole}u"),
            whole,
        };
        let along = |axis: usize| match ["x", "y", "z"][axis] {
            _ if axis == self.axis => fixed(mid),
            letter => Dimension {
                first: format!("uint(sg_low.{letter})"),
                count: format!("uint(sg_part.{letter})"),
                whole: self.sides[axis],
            },
        };
        [
            fixed(self.numbers),
            along(0),
            along(1),
            fixed(self.entries),
            along(2),
        ]
    }

    /// GLSL of the numbers of lines: `LINES` lines have numbers of their own in a dispatch, and `line_of` returns the number in
    /// the whole lattice of one of them. Ranks transform the lines of their part. `STORES` tells if a line exists, where the
    /// workgroups may have more lines than there are; without ranks, `is_full` says that they have not.
    pub(super) fn numbering(&self, text: &mut String, mid: u64, is_full: bool) {
        let dimensions = self.dimensions(mid);
        let is_longer = |dimension: &&Dimension| dimension.count != "1u" || dimension.whole != 1;
        let counts: Vec<&str> = (dimensions.iter().filter(is_longer))
            .map(|dimension| dimension.count.as_str())
            .collect();
        let count = if counts.is_empty() {
            "1u".to_string()
        } else {
            counts.join(" * ")
        };
        let _ = writeln!(text, "#ifdef STAGE_IS_CUT\n#define LINES ({count})");
        let _ = writeln!(text, "#define STORES(is_line) (is_line)");
        text.push_str("// The number in the whole lattice of a line of the part of this rank.\n");
        text.push_str("uint line_of(uint number) {\n    uint line = 0u;\n");
        let mut stride = 1;
        for Dimension { first, count, whole } in dimensions.iter().filter(is_longer) {
            let _ = writeln!(
                text,
                "    line += (number % {count} + {first}) * {stride}u;\n    number /= {count};"
            );
            stride *= whole;
        }
        let stores = if is_full { "true" } else { "(is_line)" };
        let _ = write!(
            text,
            "    return line;\n}}\n#else\n#define LINES {lines}u\n#define STORES(is_line) {stores}\n\
             #define line_of(number) (number)\n#endif\n\n",
            lines = self.low() * mid * self.high(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_follow_memory() {
        let lattice = |axis| LineLattice {
            axis,
            sides: [5, 6, 7],
            numbers: 2,
            entries: 3,
        };
        for (axis, low, high) in [(0, 2, 6 * 3 * 7), (1, 2 * 5, 3 * 7), (2, 2 * 5 * 6 * 3, 1)] {
            let lattice = lattice(axis);
            assert_eq!([lattice.low(), lattice.high()], [low, high]);
            let wholes = lattice.dimensions(4).map(|dimension| dimension.whole);
            assert_eq!(wholes.iter().product::<u64>(), low * 4 * high);
            // The parts of a line are between the dimensions before and after its axis.
            let place = [1, 2, 4][axis];
            assert_eq!(wholes[place], 4);
            assert_eq!(wholes[..place].iter().product::<u64>(), low);
        }
    }
}
