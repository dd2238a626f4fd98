//! The columns of outputs: their types, their factors, and their names in the files.

use std::collections::HashMap;

use super::file::*;
use super::output_sources::{Source, SourceKind};
use super::output_staggered::VELOCITY;
use super::read::{Named, Text};
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::{Element, Scalar};
use crate::ir::*;
use crate::output::{self, Column, Content, Format, Geometry, Picked, Setting};
use crate::problem::Problem;

/// Name of the attribute with the number of each particle in files.
pub(super) const ID: &str = "id";

/// The factors of an output's fields.
pub(super) enum Scales {
    All(Option<f64>),
    Named(HashMap<String, f64>),
}

impl Scales {
    /// The factor of a field.
    pub fn of(&self, name: &str) -> Option<f64> {
        match self {
            Scales::All(scale) => *scale,
            Scales::Named(scales) => scales.get(short(name)).copied(),
        }
    }
}

/// The last part of a field's name.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl Resolver<'_, '_> {
    /// The column of a field.
    pub(super) fn column(
        &self,
        field: FieldId,
        format: Format,
        component: Option<u32>,
        scale: Option<f64>,
    ) -> Column {
        let field = &self.pipeline.fields[field];
        let name = short(&field.name).to_owned();
        let (stored, components) = match field.element {
            Element::Rgba8 if component.is_some() => (output::Scalar::U8, 4),
            Element::Rgba8 => (output::Scalar::Colour, 4),
            element => (stored(element.scalar()), element.components()),
        };
        let picked = component.map(|component| Picked {
            component,
            of: components,
        });
        let mut column = Column {
            label: name.clone(),
            name,
            stored,
            scalar: stored,
            components: match picked {
                Some(_) => 1,
                None => components * field.count.unwrap_or(1),
            },
            picked,
            entries: field.count,
            scale,
            units: None,
            background: field.background * scale.unwrap_or(1.0),
        };
        // Unsupported types are refused later under their own name.
        let numbers = column.unadapted();
        column.scalar = (format.descriptor().numbers)(numbers).unwrap_or(numbers);
        column
    }

    /// The factors of the numbers.
    pub(super) fn scales(&self, file: &OutputFile, source: &Source) -> Option<Scales> {
        let is_colour = |field: &FieldId| self.pipeline.fields[*field].element == Element::Rgba8;
        match &file.scale {
            None => Some(Scales::All(None)),
            Some(ScaleFile::One(number)) => {
                if source.kind != SourceKind::Field || source.fields.iter().any(is_colour) {
                    let message = format!(
                        "`{}` is not one field of numbers, so it has no single `scale`",
                        source.text
                    );
                    let help = "write an object with the factors of its fields, such as {\"snow\": 0.001}";
                    return self.program.refuse(&number.place, message, help);
                }
                Some(Scales::All(Some(self.factor(number)?)))
            }
            Some(ScaleFile::Several(_, named)) => {
                let mut scales = HashMap::new();
                let is_scaled = |field: &FieldId| !is_colour(field);
                for (name, number) in self.of_fields(named, source, "a field of numbers", is_scaled)? {
                    scales.insert(name.to_owned(), self.factor(number)?);
                }
                Some(Scales::Named(scales))
            }
        }
    }

    /// Gives columns the units of their numbers.
    pub(super) fn add_units(&self, file: &OutputFile, source: &Source, content: &mut Content) -> Option<()> {
        let given: Vec<(&str, &Text)> = match &file.units {
            None => return Some(()),
            Some(UnitsFile::Several(_, named)) => self.of_fields(named, source, "a field", |_| true)?,
            Some(UnitsFile::One(text)) if source.kind == SourceKind::Field => source
                .fields
                .iter()
                .map(|field| (short(&self.pipeline.fields[*field].name), text))
                .collect(),
            Some(UnitsFile::One(text)) => {
                let message = format!("`{}` is not one field, so it has no single `units`", source.text);
                let help = "write an object with the units of its fields, such as {\"snow\": \"m\"}";
                return self.program.refuse(&text.place, message, help);
            }
        };
        for (name, units) in given {
            let length = units.text.chars().count();
            if !(1..=64).contains(&length) || units.text.chars().any(char::is_control) {
                let message = "units have 1 to 64 characters, without control characters";
                return self
                    .program
                    .refuse(&units.place, message, "write for example \"m/s\"");
            }
            let columns = content.columns.iter_mut();
            for column in columns.filter(|column| column.name == name) {
                column.units = Some(units.text.clone());
            }
        }
        Some(())
    }

    fn factor(&self, number: &Number) -> Option<f64> {
        let scale = self.program.number(&Scope::of(0), number)?;
        if scale.is_finite() && scale != 0.0 {
            return Some(scale);
        }
        let message = format!("a scale of {scale} loses all values");
        self.program
            .refuse(&number.place, message, "write a number other than 0")
    }

    /// Members whose names must be those of the fields of a source that satisfy `is_one`, which `what` says in words.
    fn of_fields<'n, T>(
        &self,
        named: &'n Named<T>,
        source: &Source,
        what: &str,
        is_one: impl Fn(&FieldId) -> bool,
    ) -> Option<Vec<(&'n str, &'n T)>> {
        let fields = source.fields.iter().filter(|field| is_one(field));
        let known: Vec<&str> = fields
            .map(|field| short(&self.pipeline.fields[*field].name))
            .collect();
        for (name, item) in named.iter() {
            if !known.contains(&name) {
                let message = format!("`{name}` is not {what} of this output");
                let help = format!("its fields are {}", known.join(", "));
                let problem = Problem::at(&item.key, message, help);
                self.program.report(problem.suggest(name, known.iter().copied()));
                return None;
            }
        }
        Some(named.good().collect())
    }

    /// Gives columns their names in the files: those of `names`, else those that the format has by convention.
    pub(super) fn name_columns(
        &self,
        file: &OutputFile,
        source: &Source,
        content: &mut Content,
    ) -> Option<()> {
        let format = content.format;
        let position = match content.geometry {
            Geometry::Particles { position } if format.descriptor().takes_points() => position,
            _ => None,
        };
        let mut given = HashMap::new();
        if let Some(named) = file.names.as_ref().filter(|_| format.has(Setting::Names)) {
            for (name, label) in self.of_fields(named, source, "a field", |_| true)? {
                let (text, place) = (&label.text, &label.place);
                let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
                let is_name = text.starts_with(is_start)
                    && text.chars().all(|c| is_start(c) || c.is_ascii_digit())
                    && text.len() <= output::MAX_NAME_BYTES;
                if !is_name {
                    let message = format!("`{text}` is not a name that all formats allow");
                    let help = "use letters, digits and `_`, and begin with no digit";
                    return self.program.refuse(place, message, help);
                }
                if position.is_some_and(|number| content.columns.get(number).is_some_and(|c| c.name == name))
                {
                    let message = format!("the positions have a name of their own in {}", format.name());
                    return self.program.refuse(place, message, "remove it");
                }
                given.insert(name, text);
            }
        }
        let own = content
            .columns
            .iter()
            .map(|column| match given.get(column.name.as_str()) {
                Some(label) => (*label).clone(),
                None if content.staggered.is_some() => VELOCITY.to_owned(),
                None => column.name.clone(),
            });
        let mut labels: Vec<String> = own.collect();
        let are_particles = matches!(content.geometry, Geometry::Particles { .. });
        let conventions = format.descriptor().conventions.iter();
        for (name, label) in conventions.filter(|_| are_particles) {
            let is_free = labels.iter().all(|known| known != label);
            let renamed = content.columns.iter().position(|column| column.name == *name);
            if let Some(number) = renamed.filter(|_| is_free && !given.contains_key(name)) {
                labels[number] = (*label).to_owned();
            }
        }
        for (number, label) in labels.iter().enumerate() {
            if let Some(other) = labels[..number].iter().position(|other| other == label) {
                let [one, two] = [other, number].map(|number| &content.columns[number].name);
                let message = format!("`{one}` and `{two}` are both called `{label}` in the files");
                return self
                    .program
                    .refuse(&source.place, message, "choose another name with `names`");
            }
        }
        for (column, label) in content.columns.iter_mut().zip(labels) {
            column.label = label;
        }
        Some(())
    }
}

/// The type of stored numbers, as outputs name it.
fn stored(scalar: Scalar) -> output::Scalar {
    match scalar {
        Scalar::Half => output::Scalar::F16,
        Scalar::Float => output::Scalar::F32,
        Scalar::Double => output::Scalar::F64,
        Scalar::Int8 => output::Scalar::I8,
        Scalar::Int16 => output::Scalar::I16,
        Scalar::Int => output::Scalar::I32,
        Scalar::Int64 => output::Scalar::I64,
        Scalar::Uint8 => output::Scalar::U8,
        Scalar::Uint16 => output::Scalar::U16,
        Scalar::Uint => output::Scalar::U32,
        Scalar::Uint64 => output::Scalar::U64,
    }
}
