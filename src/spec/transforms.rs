//! Discrete transforms of fields in lists: `fft(f)`, `inverse_cosine(f, x, y)`, `sides(f, low, high)`.

use std::rc::Rc;

use super::calls::At;
use super::file::{Number, Reference, SetFile};
use super::program::*;
use super::resolver::Resolver;
use crate::expr::Expr;
use crate::ir::{FieldId, Home};
use crate::lower::fft::{MOST_LENGTH, Unit, Wave};
use crate::lower::meaning::What;
use crate::lower::meaning::{Numbers, Transform};
use crate::problem::{Place, Problem};

const LETTERS: [char; 3] = ['x', 'y', 'z'];

/// A kind of transform by its name.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    expansion: Expansion,
    inverse: bool,
}

/// What values are expanded in.
#[derive(Clone, Copy)]
enum Expansion {
    Fourier,
    Wave(Wave),
    /// What the sides of the field say, axis by axis.
    Sides,
}

/// The transform that a function is.
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

/// A mistake: where, what, and what to do.
type Wrong = (Place, String, String);

impl<'f> Resolver<'_, 'f> {
    pub(super) fn transform(
        &mut self,
        file: &SetFile,
        at: &At<'f>,
        kind: Kind,
        (arguments, tree, place): (&[Expr], &Expr, &Place),
    ) -> Option<What> {
        let fields = arguments
            .first()
            .and_then(|first| Some((first, first.as_name()?)));
        let Some((first, name)) = fields else {
            let problem = Problem::at_place(
                place.clone(),
                format!("`{tree}` lacks the field that it transforms"),
            );
            self.program
                .report(problem.help("write its name first, such as \"fft(waves.height)\""));
            return None;
        };
        let of_source = Reference {
            place: place.part(&first.range),
            name: Some(name.clone()),
        };
        let source = self
            .field(&at.scope, &of_source)
            .and_then(|field| self.transformable(field, &of_source));
        let target = self
            .field(&at.scope, &file.set)
            .and_then(|field| self.transformable(field, &file.set));
        let (source, target) = (source?, target?);
        let names = [name.to_string(), file.set.text()];
        let places = [&of_source.place, &file.set.place];
        let rest = match kind.expansion {
            Expansion::Sides => arguments.get(3..).unwrap_or(&[]),
            _ => &arguments[1..],
        };
        let found = (|| {
            let waves = self.waves(kind, at, source, arguments, place)?;
            let axes = self.transformed_axes(source, &names[0], rest, place)?;
            let numbers = self.numbers_of(kind, [source, target], &names, waves, places)?;
            self.check_sizes([source, target], &names, &axes, numbers, places)?;
            Ok((axes, numbers))
        })();
        match found {
            Ok((axes, numbers)) => {
                let inverse = kind.inverse;
                Some(What::Transform(Rc::new(Transform {
                    source,
                    target,
                    axes,
                    inverse,
                    numbers,
                })))
            }
            Err(None) => None,
            Err(Some((place, message, help))) => {
                self.program.report(Problem::at_place(place, message).help(help));
                None
            }
        }
    }

    /// A field of memory of its own, of floats or halves; reports another one.
    fn transformable(&self, id: FieldId, reference: &Reference) -> Option<FieldId> {
        let (field, resource) = (&self.pipeline.fields[id], self.pipeline.resource_of(id));
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
        } else if Unit::of(field.element, false).is_none() || field.element.columns() > 1 {
            (
                format!("has type {}, which cannot be transformed", field.type_name()),
                "transform complex numbers (vec2, vec4, hvec2, hvec4) or real ones (float, half and their vectors)",
            )
        } else {
            return Some(id);
        };
        let message = format!("`{}` {why}", reference.text());
        self.program
            .report(Problem::at_place(reference.place.clone(), message).help(help));
        None
    }

    /// The axes by number, the first one first.
    fn transformed_axes(
        &self,
        field: FieldId,
        name: &str,
        listed: &[Expr],
        place: &Place,
    ) -> Result<Vec<usize>, Option<Wrong>> {
        let of_field = self.pipeline.resource_of(field).axes() as usize;
        if listed.is_empty() {
            return Ok((0..of_field).collect());
        }
        let mut axes: Vec<usize> = Vec::new();
        for tree in listed {
            let place = place.part(&tree.range);
            let letter = tree.to_string();
            let axis = LETTERS
                .iter()
                .position(|known| letter.len() == 1 && letter.starts_with(*known));
            match axis {
                Some(axis) if axis < of_field && !axes.contains(&axis) => axes.push(axis),
                Some(axis) if axis < of_field => {
                    let help = "list each axis once".to_string();
                    return Err(Some((place, format!("the axis {letter} is listed twice"), help)));
                }
                _ => {
                    let known: Vec<String> = LETTERS[..of_field].iter().map(char::to_string).collect();
                    let help = format!("its axes are {}", known.join(", "));
                    return Err(Some((place, format!("`{name}` has no axis {letter}"), help)));
                }
            }
        }
        axes.sort_unstable();
        Ok(axes)
    }

    /// What real values are expanded in along each axis; nothing for complex numbers.
    fn waves(
        &self,
        kind: Kind,
        at: &At<'f>,
        field: FieldId,
        arguments: &[Expr],
        place: &Place,
    ) -> Result<Option<[Wave; 3]>, Option<Wrong>> {
        match kind.expansion {
            Expansion::Fourier => return Ok(None),
            Expansion::Wave(wave) => return Ok(Some([wave; 3])),
            Expansion::Sides => {}
        }
        let [_, low, high, ..] = arguments else {
            let help = "write \"sides(f, low, high)\", each a list with a number for each axis".to_string();
            return Err(Some((
                place.clone(),
                "`sides` lacks the lower and upper sides".into(),
                help,
            )));
        };
        let program = self.program;
        let numbers = |tree: &Expr| {
            let number = Number {
                place: place.clone(),
                tree: Some(tree.clone()),
            };
            let value = program.with(Effect::Rebuild, || program.value(&at.scope, &number));
            value.map(|value| value.numbers().to_vec()).ok_or(None)
        };
        let (low, high) = (numbers(low)?, numbers(high)?);
        let axes = self.pipeline.resource_of(field).axes() as usize;
        if low.len() < axes || high.len() < axes {
            let message = format!("{} lower and {} upper sides", low.len(), high.len());
            return Err(Some((
                place.clone(),
                message,
                format!("write one number for each of the {axes} axes"),
            )));
        }
        let mut waves = [Wave::Hartley; 3];
        for axis in 0..axes {
            waves[axis] = between(low[axis], high[axis]).ok_or_else(|| {
                let message = format!(
                    "the sides of {} are {} and {}",
                    LETTERS[axis], low[axis], high[axis]
                );
                let help =
                    "write 0 (closed) or 1 (open) for each of them, or 2 (periodic) for both".to_string();
                Some((place.clone(), message, help))
            })?;
        }
        Ok(Some(waves))
    }

    /// What the fields hold, by the numbers of their components.
    fn numbers_of(
        &self,
        kind: Kind,
        fields: [FieldId; 2],
        [source, target]: &[String; 2],
        waves: Option<[Wave; 3]>,
        [_, place]: [&Place; 2],
    ) -> Result<Numbers, Option<Wrong>> {
        let [from, to] = fields.map(|field| self.pipeline.fields[field].element.components());
        let types = fields.map(|field| self.pipeline.fields[field].type_name());
        let wrong = |message: String, help: &str| Err(Some((place.clone(), message, help.to_string())));
        match (from, to) {
            _ if from == to && waves.is_some() => Ok(waves.map_or(Numbers::Complex, Numbers::Real)),
            _ if waves.is_some() => wrong(
                format!("`{source}` has type {}, `{target}` {}", types[0], types[1]),
                "cosine, sine and Hartley transforms are of real numbers: both have as many components",
            ),
            _ if to == 2 * from && !kind.inverse => Ok(Numbers::ToHalf),
            _ if from == 2 * to && kind.inverse => Ok(Numbers::FromHalf),
            _ if to == 2 * from => wrong(
                format!(
                    "`{source}` has real numbers ({}), which an inverse transform does not start from",
                    types[0]
                ),
                "transform complex numbers back, or use `fft`",
            ),
            _ if from == 2 * to => wrong(
                format!(
                    "`{target}` has real numbers ({}), which only an inverse transform gives",
                    types[1]
                ),
                "use `inverse_fft`, or name a field of complex numbers",
            ),
            _ if from == to && from.is_multiple_of(2) => Ok(Numbers::Complex),
            _ if from == to => wrong(
                format!("`{target}` has type {}, which has no complex numbers", types[1]),
                "name a field with twice as many components, or use a transform of real numbers, as `cosine`",
            ),
            _ => wrong(
                format!("`{source}` has type {}, `{target}` {}", types[0], types[1]),
                "both have as many components, or complex numbers twice as many as real ones",
            ),
        }
    }

    /// Whether the fields have the sizes of a transform.
    fn check_sizes(
        &self,
        fields: [FieldId; 2],
        [source, target]: &[String; 2],
        axes: &[usize],
        numbers: Numbers,
        [place, into]: [&Place; 2],
    ) -> Result<(), Option<Wrong>> {
        let pipeline = &self.pipeline;
        let [from, to] = fields.map(|field| pipeline.size_of(field));
        let mut wanted = from;
        let real = if numbers == Numbers::FromHalf { to } else { from };
        let halved = axes[0];
        match numbers {
            Numbers::Complex | Numbers::Real(_) => {}
            Numbers::ToHalf => wanted[halved] = from[halved] / 2 + 1,
            Numbers::FromHalf => wanted[halved] = to[halved],
        }
        let entries = fields.map(|field| pipeline.fields[field].entries());
        let axes_of = fields.map(|field| pipeline.resource_of(field).axes());
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
            let [has, needs] = [
                shown(from, axes_of[0], entries[0]),
                shown(to, axes_of[1], entries[1]),
            ];
            let message = format!("`{source}` has {has} values, `{target}` {needs}");
            let (wanted, letter) = (shown(wanted, axes_of[0], entries[0]), LETTERS[halved]);
            let help = match numbers {
                Numbers::Complex | Numbers::Real(_) => format!("it requires {wanted}"),
                Numbers::ToHalf => {
                    format!("it requires {wanted}: of n real values along {letter}, n / 2 + 1 complex ones")
                }
                Numbers::FromHalf => format!(
                    "it requires {wanted}, or one more along {letter}: n real values have n / 2 + 1 complex ones"
                ),
            };
            return Err(Some((into.clone(), message, help)));
        }
        let elements: u64 = real.iter().product::<u64>() * entries[0];
        for axis in axes {
            let (n, letter) = (real[*axis], LETTERS[*axis]);
            let wrong = |message: String| {
                Err(Some((
                    place.clone(),
                    message,
                    "transform a smaller field".to_string(),
                )))
            };
            let length = match numbers {
                Numbers::Real(waves) if n < waves[*axis].fewest() => {
                    let message =
                        format!("{n} value along {letter}: a transform of this kind takes two or more");
                    return Err(Some((place.clone(), message, "transform a larger field".into())));
                }
                Numbers::Real(waves) => waves[*axis].length(n),
                _ => n,
            };
            if length > MOST_LENGTH {
                let continued = if length == n {
                    String::new()
                } else {
                    format!(", continued to {length},")
                };
                return wrong(format!(
                    "{n} values along {letter}{continued} exceed the limit of transforms, {MOST_LENGTH}"
                ));
            }
            if elements / n >= 1 << 30 {
                return wrong(format!(
                    "{} lines along {letter} exceed the limit of transforms, 2^30",
                    elements / n
                ));
            }
        }
        Ok(())
    }
}
