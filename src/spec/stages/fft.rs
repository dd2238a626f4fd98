//! Entries that transform fields.

use super::Unroller;
use super::binding::LocalName;
use crate::ir::*;
use crate::lower::fft::{self, Axis, Input, MOST_LENGTH, Output, Unit, Wave};
use crate::problem::Problem;
use crate::spec::file::{AxisFile, FftFile, TransformFile};

const LETTERS: [char; 3] = ['x', 'y', 'z'];

/// The numbers on both sides of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Complex,
    /// Real ones to half of a spectrum.
    ToHalf,
    /// Half of a spectrum to real ones.
    FromHalf,
    /// Real ones on both sides, and what they are expanded in along x, y and z.
    Real([Wave; 3]),
}

/// The waves of an axis with a lower and an upper side.
fn between(low: f64, high: f64) -> Option<Wave> {
    match [low, high] {
        [0.0, 0.0] => Some(Wave::Cosine),
        [1.0, 1.0] => Some(Wave::Sine1),
        [1.0, 0.0] => Some(Wave::Sine7),
        [0.0, 1.0] => Some(Wave::Cosine8),
        [2.0, 2.0] => Some(Wave::Hartley),
        _ => None,
    }
}

impl Unroller<'_, '_> {
    pub(super) fn fft(&mut self, file: &FftFile, pointer: &str, into: &mut Vec<Invocation>) {
        let every = self.every(file.every.as_ref(), pointer);
        let (at, at_target) = (format!("{pointer}/fft"), format!("{pointer}/into"));
        let source = self.transformable(&file.fft, &at);
        let target = match &file.into {
            Some(name) => self.transformable(name, &at_target),
            None => source,
        };
        let (Some(every), Some(source), Some(target)) = (every, source, target) else {
            return;
        };
        self.check_writes(&[LocalName::own(&self.resolver.pipeline, target)], pointer);
        let Some(axes) = self.transformed_axes(file, source, pointer) else {
            return;
        };
        let Some(waves) = self.waves(file, source, pointer) else {
            return;
        };
        let found = self
            .numbers(file, source, target, waves)
            .map_err(|(message, help)| {
                let at = if file.into.is_some() { &at_target } else { &at };
                Problem::new(at, message).help(help)
            });
        let numbers = match found.and_then(|numbers| {
            self.check_sizes(file, [source, target], &axes, numbers, pointer)?;
            Ok(numbers)
        }) {
            Ok(numbers) => numbers,
            Err(problem) => return self.resolver.problems.push(problem),
        };
        let resource = self.resolver.pipeline.fields[source].resource;
        let ids = self.engine_stages(pointer, "fft", resource, every, |resolver, entry| {
            let axes = passes(
                resolver,
                entry.list,
                [source, target],
                &axes,
                file.inverse,
                numbers,
            );
            let (pipeline, shared) = (&mut resolver.pipeline, &mut resolver.shared);
            axes.iter()
                .flat_map(|axis| fft::transform(pipeline, shared, axis, entry))
                .collect()
        });
        into.extend(ids.into_iter().map(Invocation::without_arguments));
    }
}

impl Unroller<'_, '_> {
    /// A field of memory of its own, of floats or halves.
    fn transformable(&mut self, name: &str, pointer: &str) -> Option<FieldId> {
        let resolver = &mut *self.resolver;
        let id = resolver.field_id(name, pointer)?;
        let (field, resource) = (&resolver.pipeline.fields[id], resolver.pipeline.resource_of(id));
        let (message, help) = if resource.lattice().is_none() {
            (
                format!("`{name}` cannot be transformed: it is an attribute of particles"),
                "transform a channel of a grid, a height field, an image or a table, or a buffer",
            )
        } else if field.home != Home::Device {
            (
                format!("`{name}` cannot be transformed: it is a channel of a sparse grid"),
                "copy its values to a dense grid with a stage over that grid, and transform those",
            )
        } else if Unit::of(field.element, false).is_none() || field.element.columns() > 1 {
            (
                format!(
                    "`{name}` has type {}, which cannot be transformed",
                    field.type_name()
                ),
                "transform complex numbers (vec2, vec4, hvec2, hvec4) or real ones (float, half and their vectors)",
            )
        } else {
            return Some(id);
        };
        resolver.problems.push(Problem::new(pointer, message).help(help));
        None
    }

    /// The axes by number, the first one first.
    fn transformed_axes(&mut self, file: &FftFile, field: FieldId, pointer: &str) -> Option<Vec<usize>> {
        let resolver = &mut *self.resolver;
        let of_field = resolver.pipeline.resource_of(field).axes() as usize;
        let Some(listed) = &file.axes else {
            return Some((0..of_field).collect());
        };
        let mut axes: Vec<usize> = Vec::new();
        let problem = |at: String, message: String, help: String| Problem::new(at, message).help(help);
        for (number, axis) in listed.iter().enumerate() {
            let at = format!("{pointer}/axes/{number}");
            let axis = match axis {
                AxisFile::X => 0,
                AxisFile::Y => 1,
                AxisFile::Z => 2,
            };
            let letter = LETTERS[axis];
            let found = if axis >= of_field {
                let known: Vec<String> = LETTERS[..of_field].iter().map(char::to_string).collect();
                let message = format!("`{}` has no axis {letter}", file.fft);
                problem(at, message, format!("its axes are {}", known.join(", ")))
            } else if axes.contains(&axis) {
                problem(
                    at,
                    format!("the axis {letter} is listed twice"),
                    "list each axis once".into(),
                )
            } else {
                axes.push(axis);
                continue;
            };
            resolver.problems.push(found);
            return None;
        }
        if axes.is_empty() {
            let message = "no axis to transform along".to_string();
            let help = "list axes, or leave `axes` out for all of them".to_string();
            resolver
                .problems
                .push(problem(format!("{pointer}/axes"), message, help));
            return None;
        }
        axes.sort_unstable();
        Some(axes)
    }

    /// What real values are expanded in along each axis; nothing for complex numbers.
    fn waves(&mut self, file: &FftFile, field: FieldId, pointer: &str) -> Option<Option<[Wave; 3]>> {
        let resolver = &mut *self.resolver;
        let Some(sides) = &file.sides else {
            return Some(match file.kind.unwrap_or(TransformFile::Fourier) {
                TransformFile::Fourier => None,
                TransformFile::Hartley => Some([Wave::Hartley; 3]),
                TransformFile::Cosine => Some([Wave::Cosine; 3]),
                TransformFile::Sine => Some([Wave::Sine; 3]),
                TransformFile::Cosine1 => Some([Wave::Cosine1; 3]),
                TransformFile::Sine1 => Some([Wave::Sine1; 3]),
                TransformFile::Sine7 => Some([Wave::Sine7; 3]),
                TransformFile::Cosine8 => Some([Wave::Cosine8; 3]),
            });
        };
        let axes = resolver.pipeline.resource_of(field).axes() as usize;
        let low = resolver.numbers(&sides.low, &format!("{pointer}/sides/low"));
        let high = resolver.numbers(&sides.high, &format!("{pointer}/sides/high"));
        let (low, high) = (low?, high?);
        let mut waves = [Wave::Hartley; 3];
        let problem = if file.kind.is_some() {
            Problem::new(format!("{pointer}/kind"), "`kind` and `sides` are given").help("remove one of them")
        } else if low.len() < axes || high.len() < axes {
            Problem::new(
                format!("{pointer}/sides"),
                format!("{} lower and {} upper sides", low.len(), high.len()),
            )
            .help(format!("write one number for each of the {axes} axes"))
        } else if let Some(axis) = (0..axes).find(|axis| between(low[*axis], high[*axis]).is_none()) {
            Problem::new(
                format!("{pointer}/sides"),
                format!(
                    "the sides of {} are {} and {}",
                    LETTERS[axis], low[axis], high[axis]
                ),
            )
            .help("write 0 (closed) or 1 (open) for each of them, or 2 (periodic) for both")
        } else {
            for axis in 0..axes {
                waves[axis] = between(low[axis], high[axis])?;
            }
            return Some(Some(waves));
        };
        resolver.problems.push(problem);
        None
    }

    /// What the fields hold, by the numbers of their components.
    fn numbers(
        &self,
        file: &FftFile,
        source: FieldId,
        target: FieldId,
        waves: Option<[Wave; 3]>,
    ) -> Result<Numbers, (String, String)> {
        let pipeline = &self.resolver.pipeline;
        let [from, to] = [source, target].map(|field| pipeline.fields[field].element.components());
        let types = [source, target].map(|field| pipeline.fields[field].type_name());
        let name = file.into.as_deref().unwrap_or(&file.fft);
        let is_even = from.is_multiple_of(2);
        match (from, to) {
            _ if from == to && waves.is_some() => Ok(waves.map_or(Numbers::Complex, Numbers::Real)),
            _ if waves.is_some() => Err((
                format!("`{}` has type {}, `{name}` {}", file.fft, types[0], types[1]),
                "cosine, sine and Hartley transforms are of real numbers: both have as many components".into(),
            )),
            _ if to == 2 * from && !file.inverse => Ok(Numbers::ToHalf),
            _ if from == 2 * to && file.inverse => Ok(Numbers::FromHalf),
            _ if to == 2 * from => Err((
                format!("`{}` has real numbers ({}), which an inverse transform does not start from", file.fft, types[0]),
                "transform complex numbers back, or leave `inverse` out".into(),
            )),
            _ if from == 2 * to => Err((
                format!("`{name}` has real numbers ({}), which only an inverse transform gives", types[1]),
                "add \"inverse\": true, or name a field of complex numbers".into(),
            )),
            _ if from == to && is_even => Ok(Numbers::Complex),
            _ if from == to => Err((
                format!("`{name}` has type {}, which has no complex numbers", types[1]),
                "name a field with twice as many components as `into`, or choose a \"kind\" for real numbers, as \"cosine\"".into(),
            )),
            _ => Err((
                format!("`{}` has type {}, `{name}` {}", file.fft, types[0], types[1]),
                "both have as many components, or complex numbers twice as many as real ones".into(),
            )),
        }
    }

    /// Whether the fields have the sizes of a transform.
    fn check_sizes(
        &self,
        file: &FftFile,
        [source, target]: [FieldId; 2],
        axes: &[usize],
        numbers: Numbers,
        pointer: &str,
    ) -> Result<(), Problem> {
        let pipeline = &self.resolver.pipeline;
        let [from, to] = [source, target].map(|field| pipeline.size_of(field));
        let mut wanted = from;
        let real = if numbers == Numbers::FromHalf { to } else { from };
        let halved = axes[0];
        match numbers {
            Numbers::Complex | Numbers::Real(_) => {}
            Numbers::ToHalf => wanted[halved] = from[halved] / 2 + 1,
            Numbers::FromHalf => wanted[halved] = to[halved],
        }
        let name = file.into.as_deref().unwrap_or(&file.fft);
        let entries = [source, target].map(|field| pipeline.fields[field].entries());
        let axes_of = [source, target].map(|field| pipeline.resource_of(field).axes());
        let is_half = numbers != Numbers::FromHalf || from[halved] == to[halved] / 2 + 1;
        if to != wanted || !is_half || entries[0] != entries[1] || axes_of[0] != axes_of[1] {
            if !is_half {
                wanted[halved] = 2 * (from[halved].max(1) - 1);
            }
            let shown = |size: [u64; 3], axes: u32, entries: u64| {
                let sides: Vec<String> = size[..axes as usize].iter().map(u64::to_string).collect();
                let times = if entries > 1 {
                    format!(" ({entries} entries)")
                } else {
                    String::new()
                };
                format!("{}{times}", sides.join(" x "))
            };
            let message = format!(
                "`{}` has {} values, `{name}` {}",
                file.fft,
                shown(from, axes_of[0], entries[0]),
                shown(to, axes_of[1], entries[1])
            );
            let wanted = shown(wanted, axes_of[0], entries[0]);
            let help = match numbers {
                Numbers::Complex | Numbers::Real(_) => format!("it requires {wanted}"),
                Numbers::ToHalf => {
                    format!(
                        "it requires {wanted}: of n real values along {}, n / 2 + 1 complex ones",
                        LETTERS[halved]
                    )
                }
                Numbers::FromHalf => format!(
                    "it requires {wanted}, or one more along {}: n real values have n / 2 + 1 complex ones",
                    LETTERS[halved]
                ),
            };
            return Err(Problem::new(format!("{pointer}/into"), message).help(help));
        }
        let elements: u64 = real.iter().product::<u64>() * entries[0];
        for axis in axes {
            let n = real[*axis];
            let length = match numbers {
                Numbers::Real(waves) if n < waves[*axis].fewest() => {
                    let message = format!(
                        "{n} value along {}: a transform of this kind takes two or more",
                        LETTERS[*axis]
                    );
                    return Err(
                        Problem::new(format!("{pointer}/fft"), message).help("transform a larger field")
                    );
                }
                Numbers::Real(waves) => waves[*axis].length(n),
                _ => n,
            };
            if length > MOST_LENGTH {
                let continued = match length == n {
                    true => String::new(),
                    false => format!(", continued to {length},"),
                };
                let message = format!(
                    "{n} values along {}{continued} exceed the limit of transforms, {MOST_LENGTH}",
                    LETTERS[*axis]
                );
                return Err(Problem::new(format!("{pointer}/fft"), message).help("transform a smaller field"));
            }
            if elements / n >= 1 << 30 {
                let message = format!(
                    "{} lines along {} exceed the limit of transforms, 2^30",
                    elements / n,
                    LETTERS[*axis]
                );
                return Err(Problem::new(format!("{pointer}/fft"), message).help("transform a smaller field"));
            }
        }
        Ok(())
    }
}

/// The transforms along the axes, in their order, each with where it finds its values.
fn passes(
    resolver: &mut super::Resolver,
    list: List,
    [source, target]: [FieldId; 2],
    axes: &[usize],
    inverse: bool,
    numbers: Numbers,
) -> Vec<Axis> {
    let pipeline = &resolver.pipeline;
    let is_real = |field: FieldId| match numbers {
        Numbers::Complex => false,
        Numbers::ToHalf => field == source,
        Numbers::FromHalf => field == target,
        Numbers::Real(_) => true,
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
    let mut order = axes.to_vec();
    let mut between = to;
    if numbers == Numbers::FromHalf {
        order.reverse();
        if axes.len() > 1 {
            let values = from.2.iter().product::<u64>() * from.3 * entries;
            let scratch = fft::scratch(
                &mut resolver.pipeline,
                &mut resolver.shared,
                list,
                "spectrum",
                values,
            );
            between = (scratch, Unit::COMPLEX, from.2, from.3);
        }
    }
    let last = order.len() - 1;
    let transforms = order.iter().enumerate().map(|(number, axis)| {
        let source = if number == 0 { from } else { between };
        let target = if number == last { to } else { between };
        let is_halved = *axis == axes[0];
        let (input, output) = match (numbers, inverse) {
            (Numbers::ToHalf, _) if is_halved => (Input::Plain, Output::Half),
            (Numbers::FromHalf, _) if is_halved => (Input::Half, Output::Inverse),
            (Numbers::Real(waves), false) => (Input::Wave(waves[*axis]), Output::Coefficients(waves[*axis])),
            (Numbers::Real(waves), true) => (Input::Coefficients(waves[*axis]), Output::Wave(waves[*axis])),
            (_, false) => (Input::Plain, Output::Plain),
            (_, true) => (Input::Swapped, Output::Inverse),
        };
        let lengths = [source, target].map(|(_, _, size, _)| size[*axis]);
        Axis {
            name: LETTERS[*axis],
            n: match numbers {
                Numbers::FromHalf => lengths[1],
                Numbers::Real(waves) => waves[*axis].length(lengths[0]),
                _ => lengths[0],
            },
            lengths,
            // The entries of a plane in z follow each other.
            low: source.3 * source.2[..*axis].iter().product::<u64>() * if *axis == 2 { entries } else { 1 },
            high: source.2[*axis + 1..].iter().product::<u64>() * if *axis == 2 { 1 } else { entries },
            input,
            output,
            source: source.0,
            target: target.0,
            units: [source.1, target.1],
        }
    });
    transforms.collect()
}
