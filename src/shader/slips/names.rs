//! Names that a shader uses and its interface does not have: what they stand for in the pipeline, and where to list them.

use serde_json::Value;

use super::super::calls::calls;
use super::Slips;
use super::words::{Words, nearest};
use crate::ir::{Field, FieldId, LocalField, Resource, SPARSE_CONSTANTS};
use crate::problem::pointer_part;

/// Prefixes of accessors that write, the first of them of any type.
const WRITES: [&str; 5] = ["set_", "add_", "min_", "max_", "or_"];
/// Functions of reductions.
const REDUCTIONS: [&str; 4] = ["sum_", "count_", "min_", "max_"];
/// Words of the clock.
const CLOCK: [&str; 7] = ["time", "dt", "step", "frame", "seed", "left", "turn"];

/// A field by the names that it has for this stage.
struct Known {
    /// In the shader.
    symbol: String,
    /// In the lists of the stage.
    written: String,
    field: FieldId,
}

/// What an accessor does.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Read,
    Write,
    Atomic,
    Sample,
}

impl Slips<'_> {
    /// A function that is not there, or not for these arguments.
    pub(super) fn function(&self, name: &str) -> Option<Words> {
        let known: Vec<String> = self
            .every_call()
            .filter(|call| call.name == name)
            .map(|call| call.text())
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
                let names: Vec<String> = self.every_call().map(|call| call.name).chain(symbols).collect();
                let help = nearest(name, names.iter().map(String::as_str))?;
                Some(Words::new(format!("there is no function `{name}`"), help))
            })
    }

    /// A name that the interface would have if the stage listed what it is about.
    pub(super) fn of_pipeline(&self, name: &str) -> Option<Words> {
        self.accessor(name)
            .or_else(|| self.constant_of_resource(name))
            .or_else(|| self.request(name))
            .or_else(|| self.reduction(name))
    }

    /// A name that is not declared.
    pub(super) fn identifier(&self, name: &str) -> Option<Words> {
        let shader = self.shader;
        if let Some(call) = self.calls.iter().find(|call| call.name == name) {
            let message = format!("`{name}` is a function");
            return Some(Words::new(message, format!("call it: `{}`", call.text())));
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

    /// The functions of the interface and of the files that the shader includes.
    fn every_call(&self) -> impl Iterator<Item = super::Call> {
        let texts = self
            .texts
            .all()
            .filter_map(|found| std::str::from_utf8(&found.bytes).ok());
        let others = texts.flat_map(calls);
        self.calls.iter().cloned().chain(others)
    }

    /// What the index of an accessor is, for those who mistook it.
    fn index_of(&self, name: &str) -> String {
        let fields = self.shader.signature.fields.iter();
        let of = |field: &&LocalField| {
            let prefixes = WRITES.iter().chain(&[""]);
            prefixes
                .into_iter()
                .any(|prefix| name.strip_prefix(prefix) == Some(&field.name))
        };
        let Some(field) = fields.into_iter().find(of) else {
            return String::new();
        };
        let resource = &self.shader.signature.resources[field.resource];
        let index = match resource.axes() {
            1 => "a uint",
            2 => "an ivec2",
            _ => "an ivec3",
        };
        let value = field.element.accessor_type();
        let entry = if field.count.is_some() {
            ", the entry a uint"
        } else {
            ""
        };
        format!("; the index is {index}{entry}, the value has the type {value}")
    }

    /// The fields of the pipeline by their names for this stage: those that it binds first.
    fn known_fields(&self) -> Vec<Known> {
        let pipeline = self.shader.pipeline;
        let mut known = Vec::new();
        let bound = pipeline
            .document
            .pointer(&format!("{}/bind", self.shader.stage.pointer));
        for (local, meant) in bound.and_then(Value::as_object).into_iter().flatten() {
            let meant = meant.as_str().unwrap_or_default();
            for (field, of) in pipeline.fields.iter().enumerate() {
                let written = match of.name.strip_prefix(meant) {
                    Some("") => local.clone(),
                    Some(channel) if channel.starts_with('.') => format!("{local}{channel}"),
                    _ => continue,
                };
                let symbol = written.replace('.', "_");
                known.push(Known {
                    symbol,
                    written,
                    field,
                });
            }
        }
        let of_file = |field: &Field| {
            let pointer = pipeline.resources[field.resource].pointer();
            pipeline.document.pointer(&pointer).is_some()
        };
        let own = pipeline
            .fields
            .iter()
            .enumerate()
            .filter(|(_, field)| of_file(field));
        known.extend(own.map(|(number, field)| Known {
            symbol: field.symbol(),
            written: field.name.clone(),
            field: number,
        }));
        known
    }

    /// An accessor of a field that the stage does not list, or does not list for this.
    fn accessor(&self, name: &str) -> Option<Words> {
        let fields = self.known_fields();
        let find = |symbol: &str| fields.iter().find(|known| known.symbol == symbol);
        let prefixed = |prefix: &str| find(name.strip_prefix(prefix)?);
        let written = || {
            WRITES.iter().enumerate().find_map(|(number, prefix)| {
                let access = if number == 0 {
                    Access::Write
                } else {
                    Access::Atomic
                };
                Some((access, prefixed(prefix)?))
            })
        };
        let of_position = || Some((Access::Sample, find(name.strip_suffix("_position")?)?));
        let found = find(name).map(|known| (Access::Read, known));
        let (access, known) = found
            .or_else(written)
            .or_else(|| Some((Access::Sample, prefixed("sample_")?)))
            .or_else(of_position)?;
        let pipeline = self.shader.pipeline;
        let field = &pipeline.fields[known.field];
        let listed = self
            .shader
            .signature
            .fields
            .iter()
            .find(|local| local.name == known.symbol);
        let written = &known.written;
        let is_placed = pipeline.resource_of(known.field).is_placed();
        match access {
            Access::Atomic if !matches!(field.element.name(), "int" | "uint") => {
                let no_atomics = || {
                    Words::new(
                        format!(
                            "`{name}` does not exist: `{written}` has the type {}",
                            field.type_name()
                        ),
                        "only fields of the types int and uint have atomics",
                    )
                };
                Some(self.reduction(name).unwrap_or_else(no_atomics))
            }
            Access::Sample if !is_placed => Some(Words::new(
                format!("`{name}` does not exist: `{written}` has no places in the world"),
                "only channels of grids and height fields have",
            )),
            Access::Sample if field.at.is_none() && field.border.is_none() => Some(Words::new(
                format!("`{name}` does not exist: `{written}` has neither `at` nor `border`"),
                format!(
                    "only a channel with `at` or `border` has `sample_{0}` and `{0}_position`: add one of them, for \
                     example \"at\": \"centre\"",
                    known.symbol
                ),
            )),
            Access::Read | Access::Sample if listed.is_none_or(|local| !local.reads) => {
                Some(self.unlisted(name, written, "reads"))
            }
            Access::Write | Access::Atomic if listed.is_none_or(|local| !local.writes) => {
                Some(self.unlisted(name, written, "writes"))
            }
            _ => None,
        }
    }

    /// A field that is missing in a list of the stage.
    fn unlisted(&self, name: &str, field: &str, key: &str) -> Words {
        Words::new(
            format!("`{name}` requires `{field}` in the `{key}` of the stage"),
            format!("write {} in the stage", self.list_with(key, field)),
        )
    }

    /// A list of the stage as JSON, with one more name.
    fn list_with(&self, key: &str, name: &str) -> String {
        let pointer = format!("{}/{key}", self.shader.stage.pointer);
        let listed = self.shader.pipeline.document.pointer(&pointer);
        let listed = listed.and_then(Value::as_array).into_iter().flatten();
        let names = listed.filter_map(Value::as_str).chain([name]);
        let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        format!("\"{key}\": [{}]", names.join(", "))
    }

    /// The sides of cells that are not cubes.
    fn sides_of_boxes(&self, name: &str) -> Option<Words> {
        let grid = name.strip_suffix("_dx")?;
        let mut resources = self.shader.signature.resources.iter();
        resources.find(|resource| {
            let of_boxes = |form: &crate::ir::Form| form.constants.contains(&"dx") && !form.cubes;
            resource.name == grid && resource.form().is_some_and(of_boxes)
        })?;
        Some(Words::new(
            format!("`{name}` does not exist: the sides of the cells of `{grid}` are not equal"),
            format!("use the vector `{grid}_spacing`, or make them equal"),
        ))
    }

    /// A size, place or count of a resource that the stage does not use.
    fn constant_of_resource(&self, name: &str) -> Option<Words> {
        let pipeline = self.shader.pipeline;
        let of = |resource: &&Resource| {
            let Some(rest) = name
                .strip_prefix(&resource.symbol())
                .and_then(|rest| rest.strip_prefix('_'))
            else {
                return false;
            };
            match resource.form() {
                Some(form) => {
                    form.constants.contains(&rest)
                        || (resource.sparse().is_some() && SPARSE_CONSTANTS.contains(&rest))
                }
                None => ["count", "capacity", "born"].contains(&rest),
            }
        };
        let resource = pipeline.resources.iter().find(of)?;
        let is_used = |known: &crate::ir::LocalResource| known.name == resource.symbol();
        if self.shader.signature.resources.iter().any(is_used) {
            return None;
        }
        let example = pipeline
            .fields
            .iter()
            .find(|field| pipeline.resources[field.resource].name == resource.name);
        let example = example.map_or(resource.name.as_str(), |field| field.name.as_str());
        Some(Words::new(
            format!(
                "`{name}` requires a field of `{}` in `reads` or `writes` of the stage",
                resource.name
            ),
            format!(
                "list a field of it, for example {}; or pass the number as an argument",
                self.list_with("reads", example)
            ),
        ))
    }

    /// A request of a grid that the stage does not list.
    fn request(&self, name: &str) -> Option<Words> {
        let asked = name.strip_prefix("request_")?;
        let pipeline = self.shader.pipeline;
        let of = |name: &str| {
            pipeline
                .resources
                .iter()
                .find(|resource| resource.symbol() == name)
        };
        let resource = of(asked).or_else(|| of(asked.strip_suffix("_block")?))?;
        Some(match resource.sparse() {
            Some(_) => Words::new(
                format!(
                    "`{name}` requires `{}` in the `requests` of the stage",
                    resource.name
                ),
                format!(
                    "write {} in the stage",
                    self.list_with("requests", &resource.name)
                ),
            ),
            None => Words::new(
                format!(
                    "`{name}` does not exist: `{}` is not a sparse grid",
                    resource.name
                ),
                "remove the call: all cells of a dense grid are there; or add \"storage\": \"sparse\" to the grid",
            ),
        })
    }

    /// A reduction that the stage does not list.
    fn reduction(&self, name: &str) -> Option<Words> {
        let (prefix, result) = REDUCTIONS
            .iter()
            .find_map(|prefix| Some((*prefix, name.strip_prefix(prefix)?)))?;
        let pipeline = self.shader.pipeline;
        let is_buffer = pipeline
            .resources
            .iter()
            .any(|buffer| buffer.is_buffer() && buffer.name == result);
        let operation = prefix.trim_end_matches('_');
        is_buffer.then(|| {
            Words::new(
                format!("`{name}` requires `{result}` in the `reduces` of the stage"),
                format!("write \"reduces\": {{\"{result}\": \"{operation}\"}} in the stage"),
            )
        })
    }

    /// A function of the library that the shader does not include.
    fn of_library(&self, name: &str) -> Option<Words> {
        let library = self.shader.library;
        let file = library
            .built_in_names()
            .into_iter()
            .filter(|file| file.starts_with("lib/"))
            .find(|file| {
                let found = library.find(file, None);
                let text = found.and_then(|found| String::from_utf8(found.bytes).ok());
                text.is_some_and(|text| calls(&text).iter().any(|call| call.name == name))
            })?;
        Some(Words::new(
            format!("`{name}` is a function of the library, which the shader does not include"),
            format!("add #include \"{file}\" after #include \"stage.glsl\""),
        ))
    }

    /// A parameter that the stage does not pass on.
    fn parameter(&self, name: &str) -> Option<Words> {
        let path = self.parameter_called(name)?;
        Some(Words::new(
            format!("`{path}` is a parameter, which shaders see only as an argument"),
            format!(
                "{}, and write `arg.{name}`",
                self.add_argument(name, &format!("\"{path}\""))
            ),
        ))
    }

    fn add_argument(&self, name: &str, value: &str) -> String {
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
    fn parameter_called(&self, name: &str) -> Option<String> {
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
