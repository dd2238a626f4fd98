//! Functions and names that a shader uses and its interface does not have.

use super::super::library::built_in_names;
use super::super::prototypes::prototypes;
use super::Diagnostics;
use super::arguments::CLOCK;
use super::words::{Words, nearest};

impl Diagnostics<'_> {
    /// A function that is not there, or not for these arguments.
    pub(super) fn function(&self, name: &str) -> Option<Words> {
        let known: Vec<String> = self
            .every_prototype()
            .filter(|prototype| prototype.name == name)
            .map(|prototype| prototype.text())
            .collect();
        if !known.is_empty() {
            let one = known.len() == 1;
            let forms: Vec<String> = known.iter().map(|form| format!("`{form}`")).collect();
            let message = match one {
                true => format!("`{name}` takes other arguments than these"),
                false => format!("no form of `{name}` takes these arguments"),
            };
            let help = format!(
                "{}{}",
                if one { "it is " } else { "there are " },
                forms.join(" and ")
            );
            return Some(Words::new(message, help + &self.index_of(name)));
        }
        self.of_pipeline(name)
            .or_else(|| self.of_library(name))
            .or_else(|| {
                let symbols = self.known_fields();
                let symbols = symbols.iter().map(|known| known.symbol.clone());
                let names: Vec<String> = self
                    .every_prototype()
                    .map(|prototype| prototype.name)
                    .chain(symbols)
                    .collect();
                let help = nearest(name, names.iter().map(String::as_str))?;
                Some(Words::new(format!("there is no function `{name}`"), help))
            })
    }

    /// A name that is not declared.
    pub(super) fn identifier(&self, name: &str) -> Option<Words> {
        let shader = self.shader;
        if let Some(prototype) = self.prototypes.iter().find(|prototype| prototype.name == name) {
            let message = format!("`{name}` is a function");
            return Some(Words::new(message, format!("call it: `{}`", prototype.text())));
        }
        if shader
            .signature
            .arguments
            .iter()
            .any(|(argument, _)| argument == name)
        {
            let message = format!("`{name}` is an argument of the stage");
            return Some(Words::new(message, format!("write `arg.{name}`")));
        }
        if shader
            .stage
            .constants
            .iter()
            .any(|(constant, _)| constant == name)
        {
            let message = format!("the shader does not declare the constant `{name}`");
            let help = format!("declare it: layout(constant_id = 0) const int {name} = 1;");
            return Some(Words::new(message, help));
        }
        let resources = &shader.pipeline.resources;
        let resource = resources
            .iter()
            .find(|resource| resource.symbol() == name && !resource.is_buffer());
        if let Some(resource) = resource {
            let fields = self.known_fields();
            let example = fields
                .iter()
                .find(|known| shader.pipeline.resource_of(known.field).name == resource.name);
            let example = example.map_or(format!("{name}_value"), |known| known.symbol.clone());
            let message = format!("`{name}` is no name in shaders: functions read and write its fields");
            return Some(Words::new(
                message,
                format!("write {example}(i) and set_{example}(i, value)"),
            ));
        }
        self.sides_of_boxes(name)
            .or_else(|| self.accessor(name))
            .or_else(|| self.constant_of_resource(name))
            .or_else(|| {
                CLOCK.contains(&name).then(|| {
                    Words::new(
                        format!("`{name}` belongs to the clock"),
                        format!("write `clock.{name}`"),
                    )
                })
            })
            .or_else(|| self.parameter(name))
    }

    /// The functions of the interface and of the files that the shader includes.
    pub(super) fn every_prototype(&self) -> impl Iterator<Item = super::Prototype> {
        let texts = self
            .texts
            .all()
            .filter_map(|found| std::str::from_utf8(&found.bytes).ok());
        let others = texts.flat_map(prototypes);
        self.prototypes.iter().cloned().chain(others)
    }

    /// A function of the library that the shader does not include.
    pub(super) fn of_library(&self, name: &str) -> Option<Words> {
        let library = self.shader.library;
        let file = built_in_names()
            .into_iter()
            .filter(|file| file.starts_with("lib/"))
            .find(|file| {
                let found = library.find(file, None);
                let text = found.and_then(|found| String::from_utf8(found.bytes).ok());
                text.is_some_and(|text| prototypes(&text).iter().any(|prototype| prototype.name == name))
            })?;
        Some(Words::new(
            format!("`{name}` is a function of the library, which the shader does not include"),
            format!("add #include \"{file}\" after #include \"stage.glsl\""),
        ))
    }
}
