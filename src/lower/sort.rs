//! Stable radix sort of a set by an attribute, and the offsets of its keys.

use super::meaning::Bits;
use super::reorder::{Reorder, TILE};
use crate::ir::{Completed, Domain, Draft, FieldId, Sorted, SortedCells};

/// Bits of the key that a pass of a sort processes.
const DIGIT_BITS: u32 = 8;

impl Reorder<'_> {
    /// The stages of the sort, and those that write the offsets.
    pub fn sort(
        mut self,
        key: FieldId,
        bits: Bits,
        offsets: Option<FieldId>,
        cells: Option<SortedCells>,
    ) -> Vec<Draft> {
        let length = self.length();
        let passes = bits.count.div_ceil(DIGIT_BITS);
        let sums = self.sums();
        let digits = self.buffer("digits", length.div_ceil(TILE) << DIGIT_BITS);
        let order = self.buffer("order", length);
        // Passes write to two lists in turn, the last one to `order`.
        let mut pair =
            |role: &str, first_needed: u32| (passes >= first_needed).then(|| self.buffer(role, length));
        let (other_order, keys, other_keys) =
            (pair("other_order", 2), pair("keys", 2), pair("other_keys", 3));
        self.pipeline.sorts.push(Sorted {
            set: self.set,
            key,
            order,
            // Ranks do not know the offsets of all keys.
            cells: cells.filter(|_| offsets.is_none() && bits.first == 0),
        });
        let mut stages = Vec::new();
        let mut from: (FieldId, Option<FieldId>) = (key, None);
        for pass in 0..passes {
            let after = passes - 1 - pass;
            let to = match after % 2 {
                0 => (if after == 0 { None } else { other_keys }, Some(order)),
                _ => (keys, other_order),
            };
            let width = (bits.count - pass * DIGIT_BITS).min(DIGIT_BITS);
            let digit = [
                ("DIGIT_BITS".to_string(), f64::from(DIGIT_BITS)),
                ("SHIFT".to_string(), f64::from(bits.first + pass * DIGIT_BITS)),
                ("WIDTH".to_string(), f64::from(width)),
            ];
            let count_of = ("DIGITS".to_string(), f64::from(1 << DIGIT_BITS));
            let mut count = self.stage(&format!("count_{pass}"), "particles/count_digits.comp", 16);
            count.read("keys_in", from.0);
            count.write("digits", digits);
            count.constants.extend(digit.clone());
            let mut sum = self.stage(&format!("sum_{pass}"), "particles/sum_tiles.comp", 256);
            sum.read("summands", digits);
            sum.write("sums", sums);
            let mut scan = self.scan_sums(sums, &format!("scan_{pass}"));
            let mut starts = self.stage(&format!("starts_{pass}"), "particles/scan_tiles.comp", 256);
            starts.read("summands", digits);
            starts.read("sums", sums);
            starts.write("scanned", digits);
            for stage in [&mut sum, &mut scan, &mut starts] {
                stage.constants.push(count_of.clone());
            }
            let mut scatter = self.stage(&format!("scatter_{pass}"), "particles/scatter.comp", 16);
            scatter.read("keys_in", from.0);
            scatter.read("digits", digits);
            if let Some(from) = from.1 {
                scatter.read("order_in", from);
            }
            for (role, field) in [("keys_out", to.0), ("order_out", to.1)] {
                if let Some(field) = field {
                    scatter.write(role, field);
                }
            }
            scatter.constants.extend(digit);
            stages.extend([count, sum, scan, starts, scatter]);
            from = (to.0.unwrap_or(key), to.1);
        }
        stages.extend(self.moves(order));
        stages.extend(offsets.map(|offsets| self.find_offsets(key, bits, offsets)));
        if let Some(last) = stages.last_mut() {
            last.completes = Some(Completed::Sort(self.set));
        }
        stages
    }

    /// The stage that writes the offsets of all keys.
    fn find_offsets(&self, key: FieldId, bits: Bits, offsets: FieldId) -> Draft {
        let mut stage = self.stage("offsets", "particles/offsets.comp", 1);
        let length = self.pipeline.resource_of(offsets).size[0];
        stage.domain = Domain::list(length, Some(self.set));
        stage.read("keys_in", key);
        stage.write("offsets", offsets);
        stage.constants = vec![
            ("SHIFT".into(), f64::from(bits.first)),
            ("WIDTH".into(), f64::from(bits.count)),
        ];
        stage
    }
}
