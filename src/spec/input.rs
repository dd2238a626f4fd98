//! Checks of what the window passes on to a pipeline.

use crate::element::Element;
use crate::problem::{Problem, pointer};

use super::resolver::Resolver;

impl Resolver<'_> {
    /// Checks the parameters that the window sets.
    pub(super) fn input(&mut self) {
        for (place, name, size) in self.file.input.parameters() {
            let pointer = pointer(&["input", place[0], place[1]]);
            let known = match self.scope.vector(name) {
                Some(vector) => Some(vector.len()),
                None => self.scope.names().any(|known| known == name).then_some(1),
            };
            let problem = match known {
                None => Problem::new(pointer, format!("there is no parameter `{name}`"))
                    .help("state it in parameters, or remove this")
                    .suggest(name, self.scope.names()),
                Some(found) if found != size => {
                    let kind = |size: usize| match size {
                        1 => "a number".to_string(),
                        size => format!("a vector of {size}"),
                    };
                    let message = format!("`{name}` is {}, and this is {}", kind(found), kind(size));
                    let example = match size {
                        1 => "0",
                        2 => "[0, 0]",
                        _ => "[0, 0, 0]",
                    };
                    Problem::new(pointer, message)
                        .help(format!("write `{example}` as its value in parameters"))
                }
                Some(_) => continue,
            };
            self.problems.push(problem);
        }
        for key in self.file.input.keys.keys() {
            if !is_key(key) {
                let message = format!("`{key}` is not a key that a pipeline can read");
                let problem = Problem::new(pointer(&["input", "keys", key]), message);
                self.problems
                    .push(problem.help("use a small letter, a digit, or up, down, left, right"));
            }
        }
    }

    /// Checks the channel with the distances of what a picture shows.
    pub(super) fn depth_of_input(&mut self) {
        let read = &self.file.input.pointer;
        let place = |key| pointer(&["input", "pointer", key]);
        let problem = match (&read.scene, &read.depth) {
            (Some(_), None) => Problem::new(place("scene"), "there is no `depth` to find the place with".to_string())
                .help("add `depth`: the channel of an image with the distance from the eye, such as \"draw_view.depth\""),
            (None, Some(_)) => Problem::new(place("depth"), "nothing reads the depth".to_string())
                .help("add `scene`, a parameter that is a vector of three, or remove `depth`"),
            (Some(_), Some(name)) => {
                let pipeline = &self.pipeline;
                let found = pipeline.fields.iter().position(|field| &field.name == name);
                match found {
                    Some(field) if pipeline.resource_of(field).axes() != 2 => {
                        Problem::new(place("depth"), format!("`{name}` is not a channel of an image"))
                            .help("name one with as many pixels as the picture")
                    }
                    Some(field) if pipeline.fields[field].element != Element::Float => {
                        let kind = pipeline.fields[field].element.name();
                        Problem::new(place("depth"), format!("`{name}` is of type {kind}, and a depth is float"))
                            .help("write distances in metres to a channel of type float")
                    }
                    Some(_) => return,
                    None => Problem::new(place("depth"), format!("there is no channel `{name}`"))
                        .help("name the channel of an image")
                        .suggest(name, pipeline.fields.iter().map(|field| field.name.as_str())),
                }
            }
            (None, None) => return,
        };
        self.problems.push(problem);
    }
}

/// Whether `input.keys` may name this key.
fn is_key(key: &str) -> bool {
    let mut letters = key.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => letter.is_ascii_lowercase() || letter.is_ascii_digit(),
        _ => ["up", "down", "left", "right"].contains(&key),
    }
}
