//! The passes of a transform along one axis.

use super::kernel::{LinePass, Order};
use super::{Axis, PassInput, PassOutput, Unit, radices};

impl Axis {
    /// One pass for the whole transform. A length that has no direct transform becomes a longer convolution.
    pub(super) fn whole_pass(&self) -> LinePass {
        let chirped = (!radices::is_direct(self.n)).then_some(self.n);
        LinePass {
            n: chirped.map_or(self.n, radices::convolution),
            mid: 1,
            lattice: self.lattice,
            gather: Order::Spread,
            scatter: Order::Spread,
            input: self.input,
            output: self.output,
            convolved: chirped.is_some(),
            chirped,
            lengths: self.lengths,
            units: self.units,
        }
    }

    /// The lengths of columns and rows of the four-step method; `None` if one workgroup takes a whole line.
    pub(super) fn split(&self, whole: &LinePass) -> Option<[u64; 2]> {
        let length = whole.n;
        let row = whole.groups();
        let is_row = self.lattice.low() == 1
            && whole.chirped.is_none()
            && length <= radices::MAX_ROW
            && row.fits(length);
        radices::split(length).filter(|_| !is_row)
    }

    /// The passes of the four-step method, with the verbs of their stages: along columns, then along rows. A convolution
    /// goes back along the columns.
    pub(super) fn four_step_passes(
        &self,
        whole: LinePass,
        [columns, rows]: [u64; 2],
    ) -> Vec<(&'static str, LinePass)> {
        let length = whole.n;
        let [given, wanted] = self.lengths;
        let [from, to] = self.units;
        let first = LinePass {
            n: columns,
            mid: rows,
            output: PassOutput::Twiddled,
            convolved: false,
            lengths: [given, length],
            units: [from, Unit::COMPLEX],
            ..whole.clone()
        };
        let along_rows = LinePass {
            n: rows,
            mid: columns,
            gather: Order::Packed,
            input: PassInput::Inner,
            lengths: [length, wanted],
            units: [Unit::COMPLEX, to],
            ..whole.clone()
        };
        if whole.chirped.is_none() {
            return vec![("columns_", first), ("rows_", along_rows)];
        }
        let middle = LinePass {
            scatter: Order::Packed,
            output: PassOutput::Twiddled,
            lengths: [length; 2],
            units: [Unit::COMPLEX; 2],
            ..along_rows
        };
        let last = LinePass {
            n: columns,
            mid: rows,
            input: PassInput::Inner,
            convolved: false,
            lengths: [length, wanted],
            units: [Unit::COMPLEX, to],
            ..whole
        };
        vec![("columns_", first), ("rows_", middle), ("back_", last)]
    }
}
