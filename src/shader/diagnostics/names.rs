//! Hints for names that the interface does not define.

use serde_json::{Map, Value};

use super::super::library::built_in_names;
use super::super::prototypes::{Prototype, prototypes};
use super::{Diagnostics, Hint, did_you_mean, hint};
use crate::ir::{Field, Resource, SPARSE_CONSTANTS};

const CLOCK: [&str; 7] = ["time", "dt", "step", "frame", "seed", "left", "iteration"];

/// The names of the interface for a field `{}`, by what provides them.
const ACCESSORS: [(&str, &str); 10] = [
    ("{}", "reads"),
    ("set_{}", "writes"),
    ("add_{}", "atomics"),
    ("min_{}", "atomics"),
    ("max_{}", "atomics"),
    ("or_{}", "atomics"),
    ("sum_{}", "reduces"),
    ("count_{}", "reduces"),
    ("sample_{}", "samples"),
    ("{}_position", "samples"),
];

impl Diagnostics<'_> {
    /// A function that does not exist, or not with these parameters.
    pub(super) fn function(&self, name: &str) -> Option<Hint> {
        let included = self.sources.texts().flat_map(prototypes);
        let known: Vec<Prototype> = self.prototypes.iter().cloned().chain(included).collect();
        let forms = known.iter().filter(|prototype| prototype.name == name);
        let forms: Vec<String> = forms.map(|form| format!("`{}`", form.text())).collect();
        if !forms.is_empty() {
            let help = format!("it is declared as {}", forms.join(" and "));
            return Some(hint(format!("`{name}` takes other arguments"), help));
        }
        self.unlisted(name).or_else(|| self.in_library(name)).or_else(|| {
            let fields: Vec<String> = self.fields().map(|(symbol, ..)| symbol).collect();
            let names = known.iter().map(|prototype| &prototype.name).chain(&fields);
            let help = did_you_mean(name, names.map(String::as_str))?;
            Some(hint(format!("there is no function `{name}`"), help))
        })
    }

    pub(super) fn identifier(&self, name: &str) -> Option<Hint> {
        let (message, help) = if let Some(form) = self.prototypes.iter().find(|form| form.name == name) {
            ("is a function", format!("call it: `{}`", form.text()))
        } else if self
            .shader
            .signature
            .arguments
            .iter()
            .any(|(known, _)| known == name)
        {
            ("is an argument of the stage", format!("write `arg.{name}`"))
        } else if self.shader.stage.constants.iter().any(|(known, _)| known == name) {
            let help = format!("declare it: layout(constant_id = 0) const int {name} = 1;");
            (
                "is a constant of the stage that the shader does not declare",
                help,
            )
        } else if let Some(hint) = self.unlisted(name) {
            return Some(hint);
        } else if CLOCK.contains(&name) {
            ("belongs to the clock", format!("write `clock.{name}`"))
        } else {
            let path = self.parameter(name)?;
            let help = format!("{}, and write `arg.{name}`", add_argument(name, &path));
            ("is a parameter, which shaders see only as an argument", help)
        };
        Some(hint(format!("`{name}` {message}"), help))
    }

    /// A member of the clock or of the arguments that does not exist.
    pub(super) fn member(&self, name: &str, line: &str) -> Option<Hint> {
        if line.contains(&format!("clock.{name}")) {
            let help = did_you_mean(name, CLOCK).unwrap_or_else(|| format!("it has {}", CLOCK.join(", ")));
            return Some(hint(format!("the clock has no `{name}`"), help));
        }
        if !line.contains(&format!("arg.{name}")) {
            return None;
        }
        let arguments = self.shader.signature.arguments.iter();
        let help = (self.parameter(name).map(|path| add_argument(name, &path)))
            .or_else(|| did_you_mean(name, arguments.map(|(argument, _)| argument.as_str())))
            .unwrap_or_else(|| format!("add `{name}` with its value to the `arguments` of the stage"));
        Some(hint(format!("the stage has no argument `{name}`"), help))
    }

    /// A name that the interface would define if the stage listed a field or resource.
    pub(super) fn unlisted(&self, name: &str) -> Option<Hint> {
        let mut fields = self.fields();
        let mut resources = self.shader.pipeline.resources.iter();
        fields
            .find_map(|(symbol, listed, field)| self.accessor(name, &symbol, &listed, field))
            .or_else(|| resources.find_map(|resource| self.of_resource(name, resource)))
    }

    /// An accessor, atomic, sample or reduction of a field that is `symbol` in shaders and `listed` in the stage.
    fn accessor(&self, name: &str, symbol: &str, listed: &str, field: &Field) -> Option<Hint> {
        let (pattern, provider) =
            (ACCESSORS.iter()).find(|(pattern, _)| pattern.replace("{}", symbol) == name)?;
        let resource = &self.shader.pipeline.resources[field.resource];
        let is_integer = matches!(field.element.name(), "int" | "uint");
        let is_sampled = resource.is_placed() && (field.at.is_some() || field.border.is_some());
        let operation = pattern.trim_end_matches("_{}");
        Some(match *provider {
            "atomics" if is_integer => self.lacks(name, "writes", listed),
            "samples" if is_sampled => self.lacks(name, "reads", listed),
            "samples" => hint(
                format!("`{name}` does not exist: `{listed}` has neither `at` nor `border`"),
                "only channels of cells or vertices with `at` or `border` have it: add one, for example \
                 \"at\": \"centre\"",
            ),
            "atomics" | "reduces" if resource.is_buffer() && !["add", "or"].contains(&operation) => hint(
                format!("`{name}` requires `{listed}` in the `reduces` of the stage"),
                format!("write \"reduces\": {{\"{listed}\": \"{operation}\"}} in the stage"),
            ),
            "atomics" | "reduces" => hint(
                format!(
                    "`{name}` does not exist: `{listed}` has the type {}",
                    field.type_name()
                ),
                "only fields of the types int and uint have atomics, and only buffers have reductions",
            ),
            key => self.lacks(name, key, listed),
        })
    }

    /// A resource, or one of its requests and constants.
    fn of_resource(&self, name: &str, resource: &Resource) -> Option<Hint> {
        let (symbol, of) = (resource.symbol(), &resource.name);
        let fields = &mut self.shader.pipeline.fields.iter();
        let example = fields.find(|field| self.shader.pipeline.resources[field.resource].name == *of);
        if name == symbol && !resource.is_buffer() {
            let field = example.map_or(format!("{symbol}_<field>"), Field::symbol);
            return Some(hint(
                format!("`{name}` is a resource, not a GLSL identifier: functions read and write its fields"),
                format!("write {field}(i) and set_{field}(i, value)"),
            ));
        }
        if [format!("request_{symbol}"), format!("request_{symbol}_block")].contains(&name.to_string()) {
            if resource.sparse().is_some() {
                return Some(self.lacks(name, "requests", of));
            }
            return Some(hint(
                format!("`{name}` does not exist: `{of}` is not a sparse grid"),
                "remove the call: a dense grid has all its cells; or add \"sparse\": {} to the grid",
            ));
        }
        let constant = name.strip_prefix(&symbol)?.strip_prefix('_')?;
        let constants = resource
            .form()
            .map_or(&["count", "capacity", "born"][..], |form| form.constants);
        let of_sparse = resource.sparse().is_some() && SPARSE_CONSTANTS.contains(&constant);
        if !of_sparse && !constants.contains(&constant) {
            return None;
        }
        if self
            .shader
            .signature
            .resources
            .iter()
            .any(|local| local.name == symbol)
        {
            return (constant == "dx").then(|| {
                hint(
                    format!("`{name}` does not exist: the sides of the cells of `{of}` are not equal"),
                    format!("use the vector `{symbol}_spacing`, or make them equal"),
                )
            });
        }
        let list = self.list_with("reads", example.map_or(of, |field| &field.name));
        Some(hint(
            format!("`{name}` requires a field of `{of}` in `reads` or `writes` of the stage"),
            format!("list a field of it, for example {list}; or pass the number as an argument"),
        ))
    }

    /// The stage does not list `field` under `key`.
    fn lacks(&self, name: &str, key: &str, field: &str) -> Hint {
        hint(
            format!("`{name}` requires `{field}` in the `{key}` of the stage"),
            format!("write {} in the stage", self.list_with(key, field)),
        )
    }

    /// A list of the stage as JSON, with one more name.
    fn list_with(&self, key: &str, name: &str) -> String {
        let listed = self.of_stage(key).and_then(Value::as_array).into_iter().flatten();
        let names = listed.filter_map(Value::as_str).chain([name]);
        let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        format!("\"{key}\": [{}]", names.join(", "))
    }

    /// The value of a key of the stage in the pipeline file.
    fn of_stage(&self, key: &str) -> Option<&Value> {
        let stage = &self.shader.stage.pointer;
        self.shader.pipeline.document.pointer(&format!("{stage}/{key}"))
    }

    /// Fields with their names in shaders and in the lists of the stage: first those that the stage binds, then all
    /// of the pipeline file.
    fn fields(&self) -> impl Iterator<Item = (String, String, &Field)> {
        let fields = &self.shader.pipeline.fields;
        let binds = self
            .of_stage("bind")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let bound = binds.flat_map(move |(local, resource)| {
            fields.iter().filter_map(move |field| {
                let channel = field.name.strip_prefix(resource.as_str()?)?;
                let is_of = channel.is_empty() || channel.starts_with('.');
                is_of.then(|| (format!("{local}{channel}"), field))
            })
        });
        let of_file = fields.iter().filter(|field| !field.pointer.is_empty());
        let all = bound.chain(of_file.map(|field| (field.name.clone(), field)));
        all.map(|(listed, field)| (listed.replace('.', "_"), listed, field))
    }

    /// The path of a parameter of this name, which may be in a group.
    fn parameter(&self, name: &str) -> Option<String> {
        let parameters = self
            .shader
            .pipeline
            .document
            .pointer("/parameters")?
            .as_object()?;
        let has = |group: &Map<String, Value>| group.get(name).is_some_and(|value| !value.is_object());
        if has(parameters) {
            return Some(name.to_string());
        }
        let mut groups = parameters.iter();
        let (group, _) = groups.find(|(_, value)| value.as_object().is_some_and(has))?;
        Some(format!("{group}.{name}"))
    }

    /// A function of the library that the shader does not include.
    fn in_library(&self, name: &str) -> Option<Hint> {
        let defines = |file: &String| {
            let found = self.shader.library.find(file, None);
            let text = found.and_then(|found| String::from_utf8(found.bytes).ok());
            prototypes(&text.unwrap_or_default())
                .iter()
                .any(|prototype| prototype.name == name)
        };
        let mut files = built_in_names()
            .into_iter()
            .filter(|file| file.starts_with("lib/"));
        let file = files.find(defines)?;
        Some(hint(
            format!("`{name}` is a function of the library, which the shader does not include"),
            format!("add #include \"{file}\" after #include \"stage.glsl\""),
        ))
    }
}

fn add_argument(name: &str, path: &str) -> String {
    format!("add \"{name}\": \"{path}\" to the `arguments` of the stage")
}
