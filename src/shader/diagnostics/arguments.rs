//! Arguments, parameters and the clock.

use serde_json::Value;

use super::Diagnostics;
use super::words::{Words, nearest};
use crate::problem::pointer_part;

/// Words of the clock.
pub(super) const CLOCK: [&str; 7] = ["time", "dt", "step", "frame", "seed", "left", "iteration"];

impl Diagnostics<'_> {
    /// A member that a structure does not have: of the arguments or the clock.
    pub(super) fn member(&self, name: &str, line: &str) -> Option<Words> {
        if line.contains(&format!("clock.{name}")) {
            let message = format!("the clock has no `{name}`");
            let help = format!("it has {}", CLOCK.join(", "));
            return Some(Words::new(message, help).suggest(name, CLOCK));
        }
        if !line.contains(&format!("arg.{name}")) {
            return None;
        }
        let arguments = &self.shader.signature.arguments;
        let message = format!("the stage has no argument `{name}`");
        let value = self.parameter_called(name);
        let close = nearest(name, arguments.iter().map(|(argument, _)| argument.as_str()));
        let help = match (value, close) {
            (Some(path), _) => self.add_argument(name, &format!("\"{path}\"")),
            (None, Some(close)) => close,
            (None, None) => self.add_argument(name, "...") + " with its value",
        };
        Some(Words::new(message, help))
    }

    /// A parameter that the stage does not pass on.
    pub(super) fn parameter(&self, name: &str) -> Option<Words> {
        let path = self.parameter_called(name)?;
        Some(Words::new(
            format!("`{path}` is a parameter, which shaders see only as an argument"),
            format!(
                "{}, and write `arg.{name}`",
                self.add_argument(name, &format!("\"{path}\""))
            ),
        ))
    }

    pub(super) fn add_argument(&self, name: &str, value: &str) -> String {
        let pointer = format!("{}/arguments", self.shader.stage.pointer);
        let arguments = self.shader.pipeline.document.pointer(&pointer);
        match arguments
            .and_then(Value::as_object)
            .is_some_and(|members| !members.is_empty())
        {
            true => format!("add \"{name}\": {value} to the `arguments` of the stage"),
            false => format!("add \"arguments\": {{\"{name}\": {value}}} to the stage"),
        }
    }

    /// The path of a parameter of this name.
    pub(super) fn parameter_called(&self, name: &str) -> Option<String> {
        let parameters = self.shader.pipeline.document.pointer("/parameters")?;
        if parameters
            .pointer(&format!("/{}", pointer_part(name)))
            .is_some_and(|value| !value.is_object())
        {
            return Some(name.to_string());
        }
        let groups = parameters
            .as_object()?
            .iter()
            .filter(|(_, value)| value.is_object());
        let mut paths = groups.filter(|(_, group)| group.get(name).is_some_and(|value| !value.is_object()));
        paths.next().map(|(group, _)| format!("{group}.{name}"))
    }
}
