//! The transforms along the axes of a field, in their order, with their sources and targets.

use super::super::SharedBuffers;
use super::lattice::LineLattice;
use super::{Axis, PassInput, PassOutput, Unit, scratch};
use crate::ir::{FieldId, List, Pipeline};
use crate::lower::meaning::{Transform, TransformNumbers};

const LETTERS: [char; 3] = ['x', 'y', 'z'];

impl Transform {
    pub fn passes(&self, pipeline: &mut Pipeline, shared: &mut SharedBuffers, list: List) -> Vec<Axis> {
        let (source, target, numbers) = (self.source, self.target, self.numbers);
        let is_real = |field: FieldId| match numbers {
            TransformNumbers::Complex => false,
            TransformNumbers::ToHalf => field == source,
            TransformNumbers::FromHalf => field == target,
            TransformNumbers::Real(_) => true,
        };
        let place = |field: FieldId| {
            let found = &pipeline.fields[field];
            let unit = Unit::of(found.element, !is_real(field));
            let (unit, values) = unit.unwrap_or((Unit::COMPLEX, 1));
            (field, unit, pipeline.size_of(field), values)
        };
        let [from, to] = [source, target].map(place);
        let entries = pipeline.fields[source].entries();
        // The halved axis is the first one of a transform, and the last one of its inverse.
        let mut order = self.axes.clone();
        let mut between = to;
        if numbers == TransformNumbers::FromHalf {
            order.reverse();
            if self.axes.len() > 1 {
                let values = from.2.iter().product::<u64>() * from.3 * entries;
                let spectrum = scratch(pipeline, shared, list, "spectrum", values);
                between = (spectrum, Unit::COMPLEX, from.2, from.3);
            }
        }
        let halved = matches!(numbers, TransformNumbers::ToHalf | TransformNumbers::FromHalf);
        let halved = self.axes.first().copied().filter(|_| halved);
        let last = order.len() - 1;
        let transforms = order.iter().enumerate().map(|(number, axis)| {
            let source = if number == 0 { from } else { between };
            let target = if number == last { to } else { between };
            let is_halved = *axis == self.axes[0];
            let (input, output) = match (numbers, self.inverse) {
                (TransformNumbers::ToHalf, _) if is_halved => (PassInput::Plain, PassOutput::Half),
                (TransformNumbers::FromHalf, _) if is_halved => (PassInput::Half, PassOutput::Inverse),
                (TransformNumbers::Real(waves), false) => (
                    PassInput::Wave(waves[*axis]),
                    PassOutput::Coefficients(waves[*axis]),
                ),
                (TransformNumbers::Real(waves), true) => (
                    PassInput::Coefficients(waves[*axis]),
                    PassOutput::Wave(waves[*axis]),
                ),
                (_, false) => (PassInput::Plain, PassOutput::Plain),
                (_, true) => (PassInput::Swapped, PassOutput::Inverse),
            };
            let lengths = [source, target].map(|(_, _, size, _)| size[*axis]);
            Axis {
                name: LETTERS[*axis],
                n: match numbers {
                    TransformNumbers::FromHalf => lengths[1],
                    TransformNumbers::Real(waves) => waves[*axis].length(lengths[0]),
                    _ => lengths[0],
                },
                lengths,
                lattice: LineLattice {
                    axis: *axis,
                    sides: source.2,
                    numbers: source.3,
                    entries,
                },
                fields: [self.source, self.target],
                halved,
                input,
                output,
                source: source.0,
                target: target.0,
                units: [source.1, target.1],
            }
        });
        transforms.collect()
    }
}
