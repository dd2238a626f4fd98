//! Documentation of parameters, and the inputs that set them.

use super::file::{FactsFile, Reference};
use super::program::*;
use super::read::Text;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::Value;
use crate::ir::{self, Input};
use crate::problem::Place;

const KEYS: [&str; 4] = ["up", "down", "left", "right"];

impl<'f> Resolver<'_, 'f> {
    /// The parameters with their values. Reports mistakes in their documentation and inputs.
    pub fn parameters(&self) -> Vec<ir::Parameter> {
        let program = self.program;
        let mut parameters = Vec::new();
        // All values first: definitions of words change the effects of other parameters.
        let all = 0..program.parameters.len();
        let values: Vec<_> = all
            .clone()
            .map(|id| program.with(Effect::None, || program.parameter(id)))
            .collect();
        let definitions: Vec<_> = all.map(|id| program.definition(id)).collect();
        for (id, parameter) in program.parameters.iter().enumerate() {
            let value = values[id].clone();
            let range = parameter.fact(|facts| facts.range.as_ref());
            let range = range.and_then(|(pair, scope)| {
                program.with(Effect::Value, || program.pair(&Scope::of(scope), pair, false))
            });
            let input = parameter.fact(|facts| facts.input.as_ref());
            let input = input
                .and_then(|(text, scope)| Some((self.input(&text.text, &text.place, scope)?, &text.place)));
            let Some(value) = value else { continue };
            if let Some((input, place)) = &input {
                self.check_input(&parameter.name, &value, input, place);
            }
            let text = |get: fn(&FactsFile) -> Option<&Text>| {
                let found = parameter.fact(|facts| get(facts).map(|text| text.text.clone()));
                found.map(|(text, _)| text)
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
                values: value.numbers().to_vec(),
                word,
                is_reported: unit.is_some() || help.is_some(),
                unit: unit.unwrap_or_default(),
                range,
                help,
                input: input.map(|(input, _)| input),
                effect: parameter.effect.get(),
                definition: definitions[id].clone(),
            });
        }
        parameters
    }

    /// The input that sets a parameter.
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
            (_, Some(key)) => {
                let message = format!("`{key}` is not a key that a pipeline can read");
                let help = "use a lower-case letter, a digit, or up, down, left, right";
                return self.program.refuse(place, message, help);
            }
            (_, None) => {
                let message = format!("`{text}` is not an input");
                let help = "write pointer.at, pointer.moved, pointer.left, pointer.right, a key such as \"key b\", or \
                            \"pointer.scene in view.depth\"";
                return self.program.refuse(place, message, help);
            }
        })
    }

    /// The depth channel of a picture.
    fn depth(&self, text: &str, place: &Place, scope: InstanceId) -> Option<String> {
        let field = self.field(&Scope::of(scope), &Reference::parsed(text, place))?;
        let found = &self.pipeline.fields[field];
        if self.pipeline.resource_of(field).form() != Some(&ir::IMAGE) {
            let message = format!("`{text}` is not a channel of pixels");
            return self
                .program
                .refuse(place, message, "name one with as many pixels as the picture");
        }
        if !found.is(Element::Float) {
            let message = format!(
                "`{text}` is of type {}, but a depth is of type float",
                found.type_name()
            );
            let help = "write distances in metres to a channel of type float";
            return self.program.refuse(place, message, help);
        }
        Some(found.name.clone())
    }

    /// Reports a parameter whose value does not have the form of its input.
    fn check_input(&self, name: &str, value: &Value, input: &Input, place: &Place) {
        let size = match input {
            Input::PointerAt | Input::PointerMoved => 2,
            Input::PointerLeft | Input::PointerRight | Input::Key(_) => 1,
            Input::Scene(_) => 3,
        };
        let found = value.length().unwrap_or(1);
        if found != size {
            let kind = |size: usize| match size {
                1 => "a number".to_string(),
                _ => format!("a vector of {size}"),
            };
            let message = format!("`{name}` is {}, and this is {}", kind(found), kind(size));
            let help = format!("write `{}` as its value", ["0", "[0, 0]", "[0, 0, 0]"][size - 1]);
            self.program.wrong(place, message, help);
        }
    }
}
