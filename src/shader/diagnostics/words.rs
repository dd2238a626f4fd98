//! What is wrong and what to do about it.

use crate::problem::Problem;

pub(super) struct Words {
    pub message: String,
    pub help: String,
}

impl Words {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Words {
        Words {
            message: message.into(),
            help: help.into(),
        }
    }

    /// Puts "did you mean" first, if one of `names` is close to `written`.
    pub(super) fn suggest<'a>(self, written: &str, names: impl IntoIterator<Item = &'a str>) -> Words {
        match nearest(written, names) {
            Some(nearest) => Words {
                help: format!("{nearest} {}", sentence(&self.help)),
                ..self
            },
            None => self,
        }
    }
}

/// "did you mean `name`?" if one of `names` is close to `written`.
pub(super) fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let problem = Problem::without_place("").suggest(written, names);
    problem.help.filter(|help| help.starts_with("did you mean"))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
