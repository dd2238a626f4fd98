//! Hints for names that the interface does not define.

use serde_json::{Map, Value};

use super::super::library::built_in_names;
use super::super::prototypes::{Prototype, prototypes};
use super::compiler_log::{Kind, Message};
use super::{Diagnostics, Hint, did_you_mean, hint};
use crate::ir::{Field, Resource, SPARSE_CONSTANTS};

/// The names of the interface for a field `{}`, and the keys of a stage that provide them.
const ACCESSORS: [(&str, &str); 10] = [
    ("{}", "reads"),
    ("sample_{}", "reads"),
    ("{}_position", "reads"),
    ("set_{}", "writes"),
    ("add_{}", "writes"),
    ("or_{}", "writes"),
    ("min_{}", "writes"),
    ("max_{}", "writes"),
    ("sum_{}", "reduces"),
    ("count_{}", "reduces"),
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
            // No shader calls `main`, and its name is close to those of functions of GLSL, `min` and `max`.
            let names = known
                .iter()
                .map(|prototype| prototype.name.as_str())
                .filter(|name| *name != "main");
            let help = did_you_mean(name, names)?;
            Some(hint(format!("there is no function `{name}`"), help))
        })
    }

    pub(super) fn identifier(&self, name: &str) -> Option<Hint> {
        if let Some(form) = self.prototypes.iter().find(|form| form.name == name) {
            let help = format!("call it: `{}`", form.text());
            return Some(hint(format!("`{name}` is a function"), help));
        }
        if self.has_argument(name) {
            let help = format!("write `arg.{name}`");
            return Some(hint(format!("`{name}` is an argument of the stage"), help));
        }
        self.unlisted(name).or_else(|| {
            let add = add_argument(name, &self.parameter(name)?);
            let message = format!("`{name}` is a parameter, which shaders see only as an argument");
            Some(hint(message, format!("{add}, and write `arg.{name}`")))
        })
    }

    fn has_argument(&self, name: &str) -> bool {
        let mut arguments = self.shader.signature.arguments.iter();
        arguments.any(|(argument, _)| argument == name)
    }

    /// True if the stage lacks the name of a message, whatever else its line contains.
    pub(super) fn is_missing(&self, message: &Message) -> bool {
        let name = &message.name;
        match message.kind {
            Kind::Function => self.unlisted(name).or_else(|| self.in_library(name)).is_some(),
            Kind::Identifier => self.identifier(name).is_some(),
            Kind::Member => self.member(name, self.line(message)).is_some(),
            _ => false,
        }
    }

    /// An argument that does not exist.
    pub(super) fn member(&self, name: &str, line: &str) -> Option<Hint> {
        if !line.contains(&format!("arg.{name}")) {
            return None;
        }
        let arguments = self.shader.signature.arguments.iter();
        // A group of parameters gives arguments with the names of its members.
        let member = arguments.clone().map(|(argument, _)| argument).find(|argument| {
            let group = name
                .strip_suffix(argument.as_str())
                .and_then(|rest| rest.strip_suffix('_'));
            group.is_some_and(|group| !group.is_empty())
        });
        let help = (self.parameter(name).map(|path| add_argument(name, &path)))
            .or_else(|| member.map(|member| format!("write `arg.{member}`")))
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
        let (pattern, key) = (ACCESSORS.iter()).find(|(pattern, _)| pattern.replace("{}", symbol) == name)?;
        let operation = pattern.trim_matches(['{', '}', '_']);
        let is_buffer = self.shader.pipeline.resources[field.resource].is_buffer();
        match operation {
            "sample" | "position" if field.at.is_none() && field.border.is_none() => Some(hint(
                format!("`{name}` does not exist: `{listed}` has neither `at` nor `border`"),
                "only channels of cells or vertices with `at` or `border` have it: add one, for example \
                 \"at\": \"centre\"",
            )),
            "sum" | "count" | "min" | "max" if is_buffer => Some(hint(
                format!("`{name}` requires `{listed}` in the `reduces` of the stage"),
                format!("write \"reduces\": {{\"{listed}\": \"{operation}\"}} in the stage"),
            )),
            "sum" | "count" => None,
            "add" | "or" | "min" | "max" if !matches!(field.element.name(), "int" | "uint") => None,
            _ => self.lacks(name, key, listed),
        }
    }

    /// A resource, its request, or one of its constants.
    fn of_resource(&self, name: &str, resource: &Resource) -> Option<Hint> {
        let (symbol, of) = (resource.symbol(), &resource.name);
        let mut fields = self.shader.pipeline.fields.iter();
        let example = fields.find(|field| self.shader.pipeline.resources[field.resource].name == *of);
        if name == symbol && !resource.is_buffer() {
            let field = example.map_or(format!("{symbol}_<field>"), Field::symbol);
            return Some(hint(
                format!("`{name}` is a resource, not a GLSL identifier: functions read and write its fields"),
                format!("write {field}(i) and set_{field}(i, value)"),
            ));
        }
        let is_sparse = resource.sparse().is_some();
        let requested = name.strip_prefix("request_");
        if is_sparse && requested.is_some_and(|rest| rest.trim_end_matches("_block") == symbol) {
            return self.lacks(name, "requests", of);
        }
        let constant = name.strip_prefix(&symbol)?.strip_prefix('_')?;
        let of_set: &[&str] = &["count", "capacity", "born"];
        let constants = resource.form().map_or(of_set, |form| form.constants);
        if !(constants.contains(&constant) || is_sparse && SPARSE_CONSTANTS.contains(&constant)) {
            return None;
        }
        let mut known = self.shader.signature.resources.iter();
        if known.any(|local| local.name == symbol) {
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
    fn lacks(&self, name: &str, key: &str, field: &str) -> Option<Hint> {
        let is_listed = self.listed(key).any(|listed| listed == field);
        (!is_listed).then(|| {
            hint(
                format!("`{name}` requires `{field}` in the `{key}` of the stage"),
                format!("write {} in the stage", self.list_with(key, field)),
            )
        })
    }

    /// The names in a list of the stage.
    fn listed(&self, key: &str) -> impl Iterator<Item = &str> {
        let list = self.of_stage(key).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    }

    /// A list of the stage as JSON, with one more name.
    fn list_with(&self, key: &str, name: &str) -> String {
        let names = self.listed(key).chain([name]);
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
        let binds = self.of_stage("bind").and_then(Value::as_object);
        let bound = binds.into_iter().flatten().flat_map(move |(local, resource)| {
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
        let document = &self.shader.pipeline.document;
        let parameters = document.pointer("/parameters")?.as_object()?;
        // A parameter with a unit or a help is an object, too.
        let is_value = |value: &Value| !value.is_object() || value.get("value").is_some();
        let has = |group: &Map<String, Value>| group.get(name).is_some_and(is_value);
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
            let mut known = prototypes(text.as_deref().unwrap_or_default()).into_iter();
            known.any(|prototype| prototype.name == name)
        };
        let files = built_in_names().into_iter();
        let file = files.filter(|file| file.starts_with("lib/")).find(defines)?;
        Some(hint(
            format!("`{name}` is a function of the library, which the shader does not include"),
            format!("add #include \"{file}\" after #include \"stage.glsl\""),
        ))
    }
}

fn add_argument(name: &str, path: &str) -> String {
    format!(
        "add \"{name}\": \"{path}\" to the `arguments` of the stage, or `#pragma arguments {path}` to the shader"
    )
}
