//! What people should know about parameters, and what they set them with.

use super::program::*;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::{Kind, Value};
use crate::ir::{self, Input};
use crate::problem::{Place, Problem};

const KEYS: [&str; 4] = ["up", "down", "left", "right"];

impl<'f> Resolver<'_, 'f> {
    /// The parameters with their values; reports what is wrong with what is said of them.
    pub(crate) fn parameters(&self) -> Vec<ir::Parameter> {
        let mut parameters = Vec::new();
        for (id, parameter) in self.program.parameters.iter().enumerate() {
            let value = self.program.with(Effect::None, || self.program.parameter(id));
            let range = parameter
                .fact(|facts| facts.range.as_ref())
                .and_then(|(pair, scope)| {
                    self.program
                        .with(Effect::None, || self.program.pair(&Scope::of(scope), pair, false))
                });
            let input = parameter
                .fact(|facts| facts.input.as_ref())
                .and_then(|(text, scope)| Some((self.input(&text.text, &text.place, scope)?, &text.place)));
            let Some(value) = value else { continue };
            let values = value.numbers().to_vec();
            if let Some((input, place)) = &input {
                self.check_input(&parameter.name, &value, input, place);
            }
            let text = |get: fn(&super::file::FactsFile) -> Option<&super::read::Text>| {
                parameter
                    .fact(|facts| get(facts).map(|text| text.text.clone()))
                    .map(|(text, _)| text)
            };
            let (unit, help) = (
                text(|facts| facts.unit.as_ref()),
                text(|facts| facts.help.as_ref()),
            );
            let word = match (parameter.words(), &value) {
                (Some(words), Value::Number(number)) => {
                    words.get(*number as usize).map(|word| word.to_string())
                }
                _ => None,
            };
            parameters.push(ir::Parameter {
                name: parameter.name.clone(),
                values,
                word,
                is_told: unit.is_some() || help.is_some(),
                unit: unit.unwrap_or_default(),
                range,
                help,
                input: input.map(|(input, _)| input),
                effect: parameter.effect.get(),
            });
        }
        parameters
    }

    /// What a person sets a parameter with.
    fn input(&self, text: &str, place: &Place, scope: InstanceId) -> Option<Input> {
        if let Some(depth) = text.strip_prefix("pointer.scene in ") {
            return self.depth(depth, place, scope).map(Input::Scene);
        }
        let key = text.strip_prefix("key ");
        let is_key = |key: &str| {
            let mut letters = key.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => letter.is_ascii_lowercase() || letter.is_ascii_digit(),
                _ => KEYS.contains(&key),
            }
        };
        Some(match (text, key) {
            ("pointer.at", _) => Input::PointerAt,
            ("pointer.moved", _) => Input::PointerMoved,
            ("pointer.left", _) => Input::PointerLeft,
            ("pointer.right", _) => Input::PointerRight,
            (_, Some(key)) if is_key(key) => Input::Key(key.to_string()),
            (_, key) => {
                let (message, help) = match key {
                    Some(key) => (
                        format!("`{key}` is not a key that a pipeline can read"),
                        "use a small letter, a digit, or up, down, left, right",
                    ),
                    None => (
                        format!("`{text}` is nothing that a person sets"),
                        "write pointer.at, pointer.moved, pointer.left, pointer.right, a key such as \"key b\", or \
                         \"pointer.scene in view.depth\"",
                    ),
                };
                self.program
                    .report(Problem::at_place(place.clone(), message).help(help));
                return None;
            }
        })
    }

    /// The channel with the distances of what a picture shows.
    fn depth(&self, text: &str, place: &Place, scope: InstanceId) -> Option<ir::FieldId> {
        let tree = crate::expr::parse(text).ok();
        let name = tree.and_then(|tree| match tree.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        });
        let reference = super::file::Reference {
            place: place.clone(),
            name,
        };
        let field = self.field(&Scope::of(scope), &reference)?;
        let found = &self.pipeline.fields[field];
        let (message, help) = if self.pipeline.resource_of(field).form() != Some(&ir::IMAGE) {
            (
                format!("`{text}` is not a channel of pixels"),
                "name one with as many pixels as the picture",
            )
        } else if !found.is(Element::Float) {
            let message = format!("`{text}` is of type {}, and a depth is float", found.type_name());
            (message, "write distances in metres to a channel of type float")
        } else {
            return Some(field);
        };
        self.program
            .report(Problem::at_place(place.clone(), message).help(help));
        None
    }

    /// Reports a parameter that is not of the kind of what sets it.
    fn check_input(&self, name: &str, value: &Value, input: &Input, place: &Place) {
        let size = match input {
            Input::PointerAt | Input::PointerMoved => 2,
            Input::PointerLeft | Input::PointerRight | Input::Key(_) => 1,
            Input::Scene(_) => 3,
        };
        let found = value.length().unwrap_or(1);
        if found != size {
            let kind = |size: usize| {
                if size == 1 {
                    "a number".to_string()
                } else {
                    format!("a vector of {size}")
                }
            };
            let message = format!("`{name}` is {}, and this is {}", kind(found), kind(size));
            let example = ["0", "[0, 0]", "[0, 0, 0]"][size - 1];
            self.program.report(
                Problem::at_place(place.clone(), message).help(format!("write `{example}` as its value")),
            );
        }
    }
}
