//! Hints for names that the interface does not define.

use serde_json::Value;

use super::super::library::built_in_names;
use super::super::prototypes::{Prototype, prototypes};
use super::{Diagnostics, Hint, did_you_mean};
use crate::ir::{FieldId, SPARSE_CONSTANTS};

const CLOCK: [&str; 7] = ["time", "dt", "step", "frame", "seed", "left", "iteration"];

/// Names with their hints; the first hint for a name counts.
#[derive(Default)]
struct Names(Vec<(String, Hint)>);

impl Names {
    /// The message starts with the name.
    fn add(&mut self, name: impl Into<String>, message: impl AsRef<str>, help: impl Into<String>) {
        let name = name.into();
        let hint = Hint::new(format!("`{name}` {}", message.as_ref()), help);
        self.0.push((name, hint));
    }
}

impl Diagnostics<'_> {
    /// A function that does not exist, or not with these parameters.
    pub(super) fn function(&self, name: &str) -> Option<Hint> {
        let prototypes: Vec<Prototype> = self.all_prototypes().collect();
        let forms = prototypes.iter().filter(|prototype| prototype.name == name);
        let forms: Vec<String> = forms.map(|form| format!("`{}`", form.text())).collect();
        if !forms.is_empty() {
            let help = format!("it is declared as {}", forms.join(" and "));
            return Some(Hint::new(format!("`{name}` takes other arguments"), help));
        }
        self.unlisted(name).or_else(|| self.in_library(name)).or_else(|| {
            let fields = self.fields();
            let names = prototypes.iter().map(|prototype| prototype.name.as_str());
            let help = did_you_mean(name, names.chain(fields.iter().map(|field| field.symbol.as_str())))?;
            Some(Hint::new(format!("there is no function `{name}`"), help))
        })
    }

    pub(super) fn identifier(&self, name: &str) -> Option<Hint> {
        let function = self.prototypes.iter().find(|prototype| prototype.name == name);
        let call = |function: &Prototype| {
            Hint::new(format!("`{name}` is a function"), format!("call it: `{}`", function.text()))
        };
        function.map(call).or_else(|| self.unlisted(name))
    }

    /// A member of the clock or of the arguments that does not exist.
    pub(super) fn member(&self, name: &str, line: &str) -> Option<Hint> {
        if line.contains(&format!("clock.{name}")) {
            let help = did_you_mean(name, CLOCK).unwrap_or_else(|| format!("it has {}", CLOCK.join(", ")));
            return Some(Hint::new(format!("the clock has no `{name}`"), help));
        }
        if !line.contains(&format!("arg.{name}")) {
            return None;
        }
        let parameter = self.parameters().into_iter().find(|(parameter, _)| parameter == name);
        let arguments = self.shader.signature.arguments.iter().map(|(argument, _)| argument.as_str());
        let help = match (parameter, did_you_mean(name, arguments)) {
            (Some((_, path)), _) => add_argument(name, &path),
            (None, Some(question)) => question,
            (None, None) => format!("add `{name}` with its value to the `arguments` of the stage"),
        };
        Some(Hint::new(format!("the stage has no argument `{name}`"), help))
    }

    /// A name that the interface would define if the stage listed the field or resource, or that has another form
    /// in shaders.
    pub(super) fn unlisted(&self, name: &str) -> Option<Hint> {
        let mut names = Names::default();
        self.name_stage(&mut names);
        self.name_fields(&mut names);
        self.name_resources(&mut names);
        names.0.into_iter().find(|(known, _)| known == name).map(|(_, hint)| hint)
    }

    /// Arguments, constants, parameters and the clock.
    fn name_stage(&self, names: &mut Names) {
        for (argument, _) in &self.shader.signature.arguments {
            names.add(argument, "is an argument of the stage", format!("write `arg.{argument}`"));
        }
        for (constant, _) in &self.shader.stage.constants {
            let help = format!("declare it: layout(constant_id = 0) const int {constant} = 1;");
            names.add(constant, "is a constant of the stage that the shader does not declare", help);
        }
        for name in CLOCK {
            names.add(name, "belongs to the clock", format!("write `clock.{name}`"));
        }
        for (name, path) in self.parameters() {
            let help = format!("{}, and write `arg.{name}`", add_argument(&name, &path));
            names.add(name, "is a parameter, which shaders see only as an argument", help);
        }
    }

    /// Accessors, atomics, samples and reductions of all fields.
    fn name_fields(&self, names: &mut Names) {
        let pipeline = self.shader.pipeline;
        for NamedField { symbol, written, field } in self.fields() {
            let resource = pipeline.resource_of(field);
            let field = &pipeline.fields[field];
            let is_integer = matches!(field.element.name(), "int" | "uint");
            let is_sampled = resource.is_placed() && (field.at.is_some() || field.border.is_some());
            for operation in ["sum", "count", "min", "max"] {
                if resource.is_buffer() && !(is_integer && ["min", "max"].contains(&operation)) {
                    let help = format!("write \"reduces\": {{\"{written}\": \"{operation}\"}} in the stage");
                    let message = format!("requires `{written}` in the `reduces` of the stage");
                    names.add(format!("{operation}_{symbol}"), message, help);
                }
            }
            let local = self.shader.signature.fields.iter().find(|local| local.name == symbol);
            if local.is_none_or(|local| !local.reads) {
                self.lacks(names, symbol.clone(), "reads", &written);
            }
            let writers = ["set", "add", "min", "max", "or"].map(|prefix| format!("{prefix}_{symbol}"));
            for (number, writer) in writers.into_iter().enumerate() {
                if number > 0 && !is_integer {
                    let message = format!("does not exist: `{written}` has the type {}", field.type_name());
                    names.add(writer, message, "only fields of the types int and uint have atomics");
                } else if local.is_none_or(|local| !local.writes) {
                    self.lacks(names, writer, "writes", &written);
                }
            }
            for sampler in [format!("sample_{symbol}"), format!("{symbol}_position")] {
                if is_sampled {
                    self.lacks(names, sampler, "reads", &written);
                } else {
                    let message = format!("does not exist: `{written}` has neither `at` nor `border`");
                    let help = "only channels of cells or vertices with `at` or `border` have it: add one of \
                                them, for example \"at\": \"centre\"";
                    names.add(sampler, message, help);
                }
            }
        }
    }

    /// Resources, their constants and their requests.
    fn name_resources(&self, names: &mut Names) {
        let pipeline = self.shader.pipeline;
        for local in &self.shader.signature.resources {
            if local.form().is_some_and(|form| form.constants.contains(&"dx") && !form.cubes) {
                let grid = &local.name;
                let message = format!("does not exist: the sides of the cells of `{grid}` are not equal");
                let help = format!("use the vector `{grid}_spacing`, or make them equal");
                names.add(format!("{grid}_dx"), message, help);
            }
        }
        for resource in &pipeline.resources {
            let symbol = resource.symbol();
            let mut fields = pipeline.fields.iter();
            let example = fields.find(|field| pipeline.resources[field.resource].name == resource.name);
            let sparse: &[&str] = if resource.sparse().is_some() { SPARSE_CONSTANTS } else { &[] };
            let form = resource.form().map(|form| form.constants);
            let constants = form.unwrap_or(&["count", "capacity", "born"]).iter().chain(sparse);
            let is_used = self.shader.signature.resources.iter().any(|local| local.name == symbol);
            for constant in constants.filter(|_| !is_used) {
                let message = format!("requires a field of `{}` in `reads` or `writes` of the stage", resource.name);
                let example = example.map_or(&resource.name, |field| &field.name);
                let list = self.list_with("reads", example);
                let help = format!("list a field of it, for example {list}; or pass the number as an argument");
                names.add(format!("{symbol}_{constant}"), message, help);
            }
            for request in [format!("request_{symbol}"), format!("request_{symbol}_block")] {
                if resource.sparse().is_some() {
                    self.lacks(names, request, "requests", &resource.name);
                } else {
                    let message = format!("does not exist: `{}` is not a sparse grid", resource.name);
                    let help = "remove the call: a dense grid has all its cells; or add \"sparse\": {} to the grid";
                    names.add(request, message, help);
                }
            }
            if !resource.is_buffer() {
                let field = example.map_or(format!("{symbol}_<field>"), |field| field.symbol());
                let message = "is a resource, not a GLSL identifier: functions read and write its fields";
                let help = format!("write {field}(i) and set_{field}(i, value)");
                names.add(symbol, message, help);
            }
        }
    }

    /// The stage does not list `field` under `key`.
    fn lacks(&self, names: &mut Names, name: String, key: &str, field: &str) {
        let message = format!("requires `{field}` in the `{key}` of the stage");
        names.add(name, message, format!("write {} in the stage", self.list_with(key, field)));
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

    /// All fields by their names for this stage: first those that it binds, then those of the pipeline file.
    fn fields(&self) -> Vec<NamedField> {
        let fields = || self.shader.pipeline.fields.iter().enumerate();
        let mut named = Vec::new();
        for (local, resource) in self.of_stage("bind").and_then(Value::as_object).into_iter().flatten() {
            let resource = resource.as_str().unwrap_or_default();
            for (number, field) in fields() {
                let channel = field.name.strip_prefix(resource);
                if let Some(channel) = channel.filter(|rest| rest.is_empty() || rest.starts_with('.')) {
                    let written = format!("{local}{channel}");
                    named.push(NamedField { symbol: written.replace('.', "_"), written, field: number });
                }
            }
        }
        let of_file = fields().filter(|(_, field)| !field.pointer.is_empty());
        named.extend(of_file.map(|(number, field)| NamedField {
            symbol: field.symbol(),
            written: field.name.clone(),
            field: number,
        }));
        named
    }

    /// Names of parameters with their paths, which have at most two parts.
    fn parameters(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let parameters = self.shader.pipeline.document.pointer("/parameters");
        for (name, value) in parameters.and_then(Value::as_object).into_iter().flatten() {
            match value.as_object() {
                None => found.push((name.clone(), name.clone())),
                Some(group) => {
                    let values = group.iter().filter(|(_, value)| !value.is_object());
                    found.extend(values.map(|(inner, _)| (inner.clone(), format!("{name}.{inner}"))));
                }
            }
        }
        // A parameter outside of groups counts first.
        found.sort_by_key(|(_, path)| path.contains('.'));
        found
    }

    /// The functions of the interface, of the shader and of the files that it includes.
    fn all_prototypes(&self) -> impl Iterator<Item = Prototype> {
        self.prototypes.iter().cloned().chain(self.sources.texts().flat_map(prototypes))
    }

    /// A function of the library that the shader does not include.
    fn in_library(&self, name: &str) -> Option<Hint> {
        let defines = |file: &String| {
            let found = self.shader.library.find(file, None);
            let text = found.and_then(|found| String::from_utf8(found.bytes).ok()).unwrap_or_default();
            prototypes(&text).iter().any(|prototype| prototype.name == name)
        };
        let mut files = built_in_names().into_iter().filter(|file| file.starts_with("lib/"));
        let file = files.find(defines)?;
        Some(Hint::new(
            format!("`{name}` is a function of the library, which the shader does not include"),
            format!("add #include \"{file}\" after #include \"stage.glsl\""),
        ))
    }
}

/// A field by the names that it has for this stage.
struct NamedField {
    /// In the shader.
    symbol: String,
    /// In the lists of the stage.
    written: String,
    field: FieldId,
}

fn add_argument(name: &str, path: &str) -> String {
    format!("add \"{name}\": \"{path}\" to the `arguments` of the stage")
}
