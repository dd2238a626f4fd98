//! Discrete transforms of fields in lists: `fft(f)`, `inverse_cosine(f, x, y)`, `sides(f, low, high)`.

use std::rc::Rc;

use super::calls::At;
use super::file::{Number, Reference, SetFile};
use super::program::*;
use super::resolver::Resolver;
use crate::expr::Expr;
use crate::ir::{FieldId, Home};
use crate::lower::fft::{MAX_LENGTH, Unit, Wave};
use crate::lower::meaning::{ActionKind, Transform, TransformNumbers};
use crate::problem::Place;

const LETTERS: [char; 3] = ['x', 'y', 'z'];

/// A kind of transform by its name.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    expansion: Expansion,
    inverse: bool,
}

/// The basis functions of a transform.
#[derive(Clone, Copy)]
enum Expansion {
    Fourier,
    Wave(Wave),
    /// Chosen for each axis by the boundary conditions of the field.
    Sides,
}

/// The transform of a function name.
pub(super) fn transform_of(function: &str) -> Option<Kind> {
    let (name, inverse) = match function.strip_prefix("inverse_") {
        Some(name) => (name, true),
        None => (function, false),
    };
    let expansion = match name {
        "fft" => Expansion::Fourier,
        "hartley" => Expansion::Wave(Wave::Hartley),
        "cosine" => Expansion::Wave(Wave::Cosine),
        "sine" => Expansion::Wave(Wave::Sine),
        "cosine1" => Expansion::Wave(Wave::Cosine1),
        "sine1" => Expansion::Wave(Wave::Sine1),
        "sine7" => Expansion::Wave(Wave::Sine7),
        "cosine8" => Expansion::Wave(Wave::Cosine8),
        "sides" => Expansion::Sides,
        _ => return None,
    };
    Some(Kind { expansion, inverse })
}

/// The basis functions of an axis with these lower and upper sides.
fn wave_of_sides(low: f64, high: f64) -> Option<Wave> {
    match [low, high] {
        [0.0, 0.0] => Some(Wave::Cosine),
        [1.0, 1.0] => Some(Wave::Sine1),
        [1.0, 0.0] => Some(Wave::Sine7),
        [0.0, 1.0] => Some(Wave::Cosine8),
        [2.0, 2.0] => Some(Wave::Hartley),
        _ => None,
    }
}

impl<'f> Resolver<'_, 'f> {
    pub(super) fn transform(
        &mut self,
        file: &SetFile,
        at: &At<'f>,
        kind: Kind,
        (arguments, tree, place): (&[Expr], &Expr, &Place),
    ) -> Option<ActionKind> {
        let named = arguments
            .first()
            .and_then(|first| Some((first, first.as_name()?)));
        let Some((first, name)) = named else {
            let message = format!("`{tree}` does not name the field to transform");
            let help = "write its name first, such as \"fft(waves.height)\"";
            return self.program.refuse(place, message, help);
        };
        let of_source = Reference {
            place: place.part(&first.range),
            name: Some(name.clone()),
        };
        let named = [&of_source, &file.set];
        let fields = named.map(|reference| {
            let field = self.field(&at.scope, reference)?;
            self.transformable(field, reference)
        });
        let fields @ [source, target] = [fields[0]?, fields[1]?];
        let rest = match kind.expansion {
            Expansion::Sides => arguments.get(3..).unwrap_or(&[]),
            _ => &arguments[1..],
        };
        let waves = self.waves(kind, at, source, arguments, place)?;
        let axes = self.transformed_axes(source, &name.to_string(), rest, place)?;
        let numbers = self.numbers_of(kind, fields, named, waves)?;
        self.check_sizes(fields, named, numbers, axes[0])?;
        self.check_lengths(fields, &of_source.place, &axes, numbers)?;
        let inverse = kind.inverse;
        let transform = Transform {
            source,
            target,
            axes,
            inverse,
            numbers,
        };
        Some(ActionKind::Transform(Rc::new(transform)))
    }

    /// A field of floats or halves in its own memory. Reports any other field.
    fn transformable(&self, id: FieldId, reference: &Reference) -> Option<FieldId> {
        let (field, resource) = (&self.pipeline.fields[id], self.pipeline.resource_of(id));
        let is_number = Unit::of(field.element, false).is_some() && field.element.columns() == 1;
        let (why, help) = if resource.lattice().is_none() {
            (
                "cannot be transformed: it is an attribute of particles".to_string(),
                "transform a channel of a grid or a buffer, or a buffer itself",
            )
        } else if field.home != Home::Device {
            (
                "cannot be transformed: it is a channel of a sparse grid".to_string(),
                "copy its values to a dense grid with a stage over that grid, and transform those",
            )
        } else if !is_number {
            (
                format!("has type {}, which cannot be transformed", field.type_name()),
                "transform complex numbers (vec2, vec4, hvec2, hvec4) or real ones (float, half and their vectors)",
            )
        } else {
            return Some(id);
        };
        let message = format!("`{}` {why}", reference.text());
        self.program.refuse(&reference.place, message, help)
    }

    /// The transformed axes by number, in ascending order.
    fn transformed_axes(
        &self,
        field: FieldId,
        name: &str,
        listed: &[Expr],
        place: &Place,
    ) -> Option<Vec<usize>> {
        let of_field = self.pipeline.resource_of(field).axes() as usize;
        if listed.is_empty() {
            return Some((0..of_field).collect());
        }
        let known = LETTERS[..of_field]
            .iter()
            .map(char::to_string)
            .collect::<Vec<_>>();
        let mut axes: Vec<usize> = Vec::new();
        for tree in listed {
            let (place, letter) = (place.part(&tree.range), tree.to_string());
            let Some(axis) = known.iter().position(|known| *known == letter) else {
                let help = format!("its axes are {}", known.join(", "));
                return self
                    .program
                    .refuse(&place, format!("`{name}` has no axis {letter}"), help);
            };
            if axes.contains(&axis) {
                let message = format!("the axis {letter} is listed twice");
                return self.program.refuse(&place, message, "list each axis once");
            }
            axes.push(axis);
        }
        axes.sort_unstable();
        Some(axes)
    }

    /// The basis functions of real values along each axis; empty for complex numbers.
    fn waves(
        &self,
        kind: Kind,
        at: &At<'f>,
        field: FieldId,
        arguments: &[Expr],
        place: &Place,
    ) -> Option<Option<[Wave; 3]>> {
        match kind.expansion {
            Expansion::Fourier => return Some(None),
            Expansion::Wave(wave) => return Some(Some([wave; 3])),
            Expansion::Sides => {}
        }
        let program = self.program;
        let [_, low, high, ..] = arguments else {
            let help = "write \"sides(f, low, high)\", each a list with a number for each axis";
            return program.refuse(place, "`sides` requires the lower and the upper sides", help);
        };
        let numbers = |tree: &Expr| {
            let number = Number::new(place, tree.clone());
            let value = program.with(Effect::Rebuild, || program.value(&at.scope, &number))?;
            Some(value.numbers().to_vec())
        };
        let (low, high) = (numbers(low)?, numbers(high)?);
        let axes = self.pipeline.resource_of(field).axes() as usize;
        if low.len() < axes || high.len() < axes {
            let message = format!("{} lower and {} upper sides", low.len(), high.len());
            let help = format!("write one number for each of the {axes} axes");
            return program.refuse(place, message, help);
        }
        let mut waves = [Wave::Hartley; 3];
        for axis in 0..axes {
            let (letter, low, high) = (LETTERS[axis], low[axis], high[axis]);
            let Some(wave) = wave_of_sides(low, high) else {
                let help = "write 0 (closed) or 1 (open) for each of them, or 2 (periodic) for both";
                return program.refuse(place, format!("the sides of {letter} are {low} and {high}"), help);
            };
            waves[axis] = wave;
        }
        Some(Some(waves))
    }

    /// The kinds of numbers of source and target, from their numbers of components.
    fn numbers_of(
        &self,
        kind: Kind,
        fields: [FieldId; 2],
        named: [&Reference; 2],
        waves: Option<[Wave; 3]>,
    ) -> Option<TransformNumbers> {
        let [from, to] = fields.map(|field| self.pipeline.fields[field].element.components());
        let [from_type, to_type] = fields.map(|field| self.pipeline.fields[field].type_name());
        let [source, target] = named.map(Reference::text);
        let both = || format!("`{source}` has type {from_type}, `{target}` {to_type}");
        let (message, help) = match (waves, from, to) {
            (Some(waves), ..) if from == to => return Some(TransformNumbers::Real(waves)),
            (Some(_), ..) => (
                both(),
                "cosine, sine and Hartley transforms convert real numbers: use equal numbers of components",
            ),
            _ if to == 2 * from && !kind.inverse => return Some(TransformNumbers::ToHalf),
            _ if from == 2 * to && kind.inverse => return Some(TransformNumbers::FromHalf),
            _ if to == 2 * from => (
                format!(
                    "`{source}` has real numbers ({from_type}), which cannot be the source of an inverse transform"
                ),
                "transform complex numbers back, or use `fft`",
            ),
            _ if from == 2 * to => (
                format!("`{target}` has real numbers ({to_type}), which only an inverse transform produces"),
                "use `inverse_fft`, or name a field of complex numbers",
            ),
            _ if from == to && from.is_multiple_of(2) => return Some(TransformNumbers::Complex),
            _ if from == to => (
                format!("`{target}` has type {to_type}, which has no complex numbers"),
                "name a field with twice as many components, or use a transform of real numbers such as `cosine`",
            ),
            _ => (
                both(),
                "use equal numbers of components, or twice as many for complex numbers as for real ones",
            ),
        };
        self.program.refuse(&named[1].place, message, help)
    }

    /// Reports fields whose sizes do not fit a transform. `halved` is the axis with half of the complex numbers.
    fn check_sizes(
        &self,
        fields: [FieldId; 2],
        named: [&Reference; 2],
        numbers: TransformNumbers,
        halved: usize,
    ) -> Option<()> {
        let pipeline = &self.pipeline;
        let [from, to] = fields.map(|field| pipeline.size_of(field));
        let mut wanted = from;
        match numbers {
            TransformNumbers::Complex | TransformNumbers::Real(_) => {}
            TransformNumbers::ToHalf => wanted[halved] = from[halved] / 2 + 1,
            TransformNumbers::FromHalf => wanted[halved] = to[halved],
        }
        let entries = fields.map(|field| pipeline.fields[field].entries());
        let axes = fields.map(|field| pipeline.resource_of(field).axes());
        let is_half = numbers != TransformNumbers::FromHalf || from[halved] == to[halved] / 2 + 1;
        if to == wanted && is_half && entries[0] == entries[1] && axes[0] == axes[1] {
            return Some(());
        }
        if !is_half {
            wanted[halved] = 2 * (from[halved].max(1) - 1);
        }
        let shown = |size: [u64; 3], of: usize| {
            let sides: Vec<String> = size[..axes[of] as usize].iter().map(u64::to_string).collect();
            let sides = sides.join(" x ");
            match entries[of] {
                ..=1 => sides,
                entries => format!("{sides} ({entries} entries)"),
            }
        };
        let [source, target] = named.map(Reference::text);
        let message = format!(
            "`{source}` has {} values, `{target}` {}",
            shown(from, 0),
            shown(to, 1)
        );
        let (wanted, letter) = (shown(wanted, 0), LETTERS[halved]);
        let rest = match numbers {
            TransformNumbers::Complex | TransformNumbers::Real(_) => String::new(),
            TransformNumbers::ToHalf => format!(": of n real values along {letter}, n / 2 + 1 complex ones"),
            TransformNumbers::FromHalf => {
                format!(", or one more along {letter}: n real values have n / 2 + 1 complex ones")
            }
        };
        let help = format!("it requires {wanted}{rest}");
        self.program.refuse(&named[1].place, message, help)
    }

    /// Reports fields that are too small or too large for a transform along some axis.
    fn check_lengths(
        &self,
        [source, target]: [FieldId; 2],
        place: &Place,
        axes: &[usize],
        numbers: TransformNumbers,
    ) -> Option<()> {
        let real = if numbers == TransformNumbers::FromHalf {
            target
        } else {
            source
        };
        let size = self.pipeline.size_of(real);
        let elements: u64 = size.iter().product::<u64>() * self.pipeline.fields[source].entries();
        for axis in axes {
            let (n, letter) = (size[*axis], LETTERS[*axis]);
            let length = match numbers {
                TransformNumbers::Real(waves) if n < waves[*axis].min_values() => {
                    let message =
                        format!("{n} value along {letter}: a transform of this kind takes two or more");
                    return self.program.refuse(place, message, "transform a larger field");
                }
                TransformNumbers::Real(waves) => waves[*axis].length(n),
                _ => n,
            };
            let continued = if length == n {
                String::new()
            } else {
                format!(", continued to {length},")
            };
            let lines = elements / n;
            let message = if length > MAX_LENGTH {
                format!("{n} values along {letter}{continued} exceed the limit of transforms, {MAX_LENGTH}")
            } else if lines >= 1 << 30 {
                format!("{lines} lines along {letter} exceed the limit of transforms, 2^30")
            } else {
                continue;
            };
            return self.program.refuse(place, message, "transform a smaller field");
        }
        Some(())
    }
}
