//! The values of a series as they are written: `sum(ground.snow)`, `max(length(flakes.velocity))`, `ledger[3]`.

use super::super::resolver::Resolver;
use crate::element::{Element, Scalar};
use crate::grid::header;
use crate::ir::*;
use crate::particles::live;

/// What a text stands for.
pub(super) enum Measure {
    Known(u64),
    Of(Measured, Reduction),
}

/// Why a text stands for nothing.
#[derive(Default)]
pub(super) struct Misfit {
    pub message: String,
    pub help: String,
    /// What was written in the place of one of these names.
    pub written: String,
    pub known: Vec<String>,
}

const REDUCTIONS: [(&str, Reduction); 5] = [
    ("min", Reduction::Minimum),
    ("max", Reduction::Maximum),
    ("sum", Reduction::Sum),
    ("mean", Reduction::Mean),
    ("nonfinite", Reduction::NonFinite),
];

const FORMS: &str = "write a function of a field such as sum(ground.snow), or one element such as ledger[3]";

fn misfit(message: impl Into<String>, help: impl Into<String>) -> Misfit {
    Misfit {
        message: message.into(),
        help: help.into(),
        ..Misfit::default()
    }
}

impl Resolver<'_> {
    /// Reads one value of a series.
    pub(super) fn measure(&self, text: &str) -> Result<Measure, Misfit> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if let Some((function, rest)) = text.split_once('(') {
            let inner = rest
                .strip_suffix(')')
                .ok_or_else(|| misfit(format!("`{text}` lacks its last parenthesis"), FORMS))?;
            return match function {
                "count" => self.live_count(inner),
                "blocks" => self.active_blocks(inner),
                _ => match REDUCTIONS.iter().find(|(name, _)| *name == function) {
                    Some((_, reduction)) => self
                        .operand(inner, function)
                        .map(|item| Measure::Of(item, *reduction)),
                    None => Err(Misfit {
                        message: format!("`{function}` is no function of a series"),
                        help: FORMS.into(),
                        written: function.into(),
                        known: ["count", "blocks"]
                            .into_iter()
                            .chain(REDUCTIONS.map(|(name, _)| name))
                            .map(str::to_string)
                            .collect(),
                    }),
                },
            };
        }
        match text.split_once('[') {
            Some((field, rest)) => self.element(&text, field, rest),
            None => Err(misfit(format!("`{text}` is no single value"), FORMS)),
        }
    }

    /// What a reduction is of: a field of numbers, a component, or the length of vectors.
    fn operand(&self, text: &str, function: &str) -> Result<Measured, Misfit> {
        if let Some(inner) = text.strip_prefix("length(") {
            let name = inner
                .strip_suffix(')')
                .ok_or_else(|| misfit(format!("`{text}` lacks a parenthesis"), FORMS))?;
            let (field, part) = self.field_part(name)?;
            let element = self.pipeline.fields[field].element;
            if part != Part::Components || element.components() == 1 || element.scalar() != Scalar::Float {
                let message = format!("`{name}` holds no vectors of floats, which have a length");
                return Err(misfit(message, format!("write {function}({name})")));
            }
            return Ok(Measured {
                field,
                part: Part::Length,
                only: None,
            });
        }
        let (field, part) = self.field_part(text)?;
        let part = self.single(field, part, text, function)?;
        Ok(Measured {
            field,
            part,
            only: None,
        })
    }

    /// One number of each element, or what to write instead.
    fn single(&self, field: FieldId, part: Part, text: &str, function: &str) -> Result<Part, Misfit> {
        let element = self.pipeline.fields[field].element;
        match part {
            Part::Components if element == Element::Rgba8 => Err(misfit(
                format!("`{text}` has four components"),
                format!("choose one, such as {function}({text}.r)"),
            )),
            Part::Components if element.components() > 1 => {
                let length = match element.scalar() {
                    Scalar::Float => format!(", or {function}(length({text}))"),
                    _ => String::new(),
                };
                Err(misfit(
                    format!("`{text}` has {} components", element.components()),
                    format!("choose one, such as {function}({text}.x){length}"),
                ))
            }
            Part::Components => Ok(Part::Component(0)),
            part => Ok(part),
        }
    }

    /// A field, or a field with a component after a dot.
    fn field_part(&self, text: &str) -> Result<(FieldId, Part), Misfit> {
        if let Some(id) = self.field_ids.get(text) {
            return Ok((*id, Part::Components));
        }
        if let Some((name, component)) = text.rsplit_once('.')
            && let Some(id) = self.field_ids.get(name)
        {
            let element = self.pipeline.fields[*id].element;
            let (letters, count) = match element {
                Element::Rgba8 => ("rgba", 4),
                element => ("xyzw", element.components() as usize),
            };
            let known = &letters[..count];
            return match known.find(component) {
                Some(number) if component.len() == 1 => Ok((*id, Part::Component(number as u32))),
                _ => Err(misfit(
                    format!("`{name}` has no component `{component}`"),
                    format!(
                        "it has {}",
                        known
                            .split("")
                            .filter(|c| !c.is_empty())
                            .collect::<Vec<_>>()
                            .join(", ")
                    ),
                )),
            };
        }
        Err(Misfit {
            message: format!("`{text}` is no field of this pipeline"),
            help: "a field is written `<resource>.<channel>`; a buffer has its own name".into(),
            written: text.into(),
            known: self
                .pipeline
                .fields
                .iter()
                .map(|field| field.name.clone())
                .collect(),
        })
    }

    /// `ledger[3]`, `wind[0].x`, `air.u[4,5,6]`; `rest` follows the bracket.
    fn element(&self, text: &str, name: &str, rest: &str) -> Result<Measure, Misfit> {
        let (indices, component) = match rest.split_once(']') {
            Some((indices, "")) => (indices, ""),
            Some((indices, component)) if component.starts_with('.') => (indices, component),
            _ => return Err(misfit(format!("`{text}` lacks its last bracket"), FORMS)),
        };
        let (field, part) = self.field_part(&format!("{name}{component}"))?;
        let part = match part {
            Part::Components if self.pipeline.fields[field].element.components() > 1 => {
                let message = format!(
                    "`{text}` has {} components",
                    self.pipeline.fields[field].element.components()
                );
                return Err(misfit(message, format!("choose one, such as {text}.x")));
            }
            _ => self.single(field, part, text, "max")?,
        };
        let resource = &self.pipeline.resources[self.pipeline.fields[field].resource];
        let axes = resource.axes() as usize;
        let [nx, ny, nz] = self.pipeline.size_of(field);
        let size = &[nx, ny, nz][..axes];
        let indices: Option<Vec<u64>> = indices.split(',').map(|index| index.parse().ok()).collect();
        let indices = indices.filter(|indices| indices.len() == axes);
        match indices.filter(|indices| indices.iter().zip(size).all(|(index, size)| index < size)) {
            Some(indices) => {
                let strides = [1, nx, nx * ny];
                let index = indices
                    .iter()
                    .zip(strides)
                    .map(|(index, stride)| index * stride)
                    .sum();
                let only = Some(index);
                Ok(Measure::Of(Measured { field, part, only }, Reduction::Value))
            }
            None => {
                let last: Vec<String> = size.iter().map(|size| (size - 1).to_string()).collect();
                let message = format!("`{text}` is no element of `{}`", self.pipeline.fields[field].name);
                let help = format!(
                    "its indices are whole numbers, the last ones [{}]",
                    last.join(", ")
                );
                Err(misfit(message, help))
            }
        }
    }

    fn live_count(&self, name: &str) -> Result<Measure, Misfit> {
        let sets = || (self.pipeline.resources.iter()).filter(|resource| resource.set().is_some());
        let found = sets().find(|set| set.name == name);
        match found.map(|set| (set, set.live())) {
            Some((_, Some(live))) => Ok(word(live, live::COUNT as u64)),
            Some((set, None)) => Ok(Measure::Known(set.size[0])),
            None => Err(Misfit {
                message: format!("`{name}` is no set of particles"),
                help: "count(...) is for sets of particles".into(),
                written: name.into(),
                known: sets().map(|set| set.name.clone()).collect(),
            }),
        }
    }

    fn active_blocks(&self, name: &str) -> Result<Measure, Misfit> {
        let grids = || (self.pipeline.resources.iter()).filter(|resource| resource.sparse().is_some());
        let found = grids().find(|grid| grid.name == name);
        match found.and_then(|grid| grid.sparse()) {
            Some(grid) => Ok(word(grid.fields.header, header::ACTIVE as u64)),
            None => Err(Misfit {
                message: format!("`{name}` is no sparse grid"),
                help: "blocks(...) is for grids of sparse storage".into(),
                written: name.into(),
                known: grids().map(|grid| grid.name.clone()).collect(),
            }),
        }
    }
}

/// One word of a buffer of the engine's.
fn word(field: FieldId, number: u64) -> Measure {
    let measured = Measured {
        field,
        part: Part::Component(0),
        only: Some(number),
    };
    Measure::Of(measured, Reduction::Value)
}
