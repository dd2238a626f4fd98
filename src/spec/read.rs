//! Reads typed objects with places from a tree of values, and generates their schema for editors.
//!
//! [`object!`] declares an object with its keys; everything else is derived from the declaration: the reader, messages
//! about wrong or missing keys, the JSON Schema, and the reference page.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::definitions::{Definitions, Key};
use super::node::{Content, Node};
use crate::problem::{Place, Problem, Problems, pointer_part};

/// The state of a reader: the mistakes so far, and the current path.
pub struct Reader<'p> {
    pub problems: &'p mut Problems,
    path: Vec<String>,
}

/// A type that can be read from a pipeline file.
pub trait Read: Sized {
    /// Reads a value. `None` after a mistake, which is recorded.
    fn read(node: &Node, reader: &mut Reader) -> Option<Self>;

    /// Its JSON Schema.
    fn schema(definitions: &mut Definitions) -> Value;
}

/// Members of an object by name. The order in the file is the order of mistakes, arguments and listings.
#[derive(Debug, Clone)]
pub struct Named<T>(IndexMap<String, Item<T>>);

/// A member: the place of its name, and its value unless it is invalid.
#[derive(Debug, Clone)]
pub struct Item<T> {
    pub key: Place,
    pub value: Option<T>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named(IndexMap::new())
    }
}

impl<T> Named<T> {
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Item<T>)> {
        self.0.iter().map(|(name, item)| (name.as_str(), item))
    }

    /// The members with valid values.
    pub fn good(&self) -> impl Iterator<Item = (&str, &T)> {
        self.iter()
            .filter_map(|(name, item)| Some((name, item.value.as_ref()?)))
    }

    pub fn get(&self, name: &str) -> Option<&Item<T>> {
        self.0.get(name)
    }

    /// The value of a member, if it exists and is valid.
    pub fn value(&self, name: &str) -> Option<&T> {
        self.get(name)?.value.as_ref()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// A text with its place.
#[derive(Debug, Clone)]
pub struct Text {
    pub text: String,
    pub place: Place,
}

impl<'p> Reader<'p> {
    pub fn new(problems: &'p mut Problems) -> Reader<'p> {
        Reader {
            problems,
            path: Vec::new(),
        }
    }

    /// The JSON pointer of the current value.
    pub fn pointer(&self) -> String {
        self.path
            .iter()
            .map(|part| format!("/{}", pointer_part(part)))
            .collect()
    }

    /// Reads a part with its name added to the path.
    pub fn inside<T>(&mut self, part: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(part.to_string());
        let result = read(self);
        self.path.pop();
        result
    }

    pub fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    pub fn wrong(&mut self, place: &Place, message: impl Into<String>, help: impl Into<String>) {
        self.report(Problem::at(place, message, help));
    }

    /// Reports a mistake in a value that therefore is not read.
    pub fn refuse<T>(
        &mut self,
        place: &Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.wrong(place, message, help);
        None
    }

    /// Reports a value of the wrong form. `form` is its help text.
    pub fn expected<T>(&mut self, node: &Node, wanted: &str, form: &str) -> Option<T> {
        // Invalid JSON is already reported.
        if !matches!(node.content, Content::Broken) {
            let message = format!("expected {wanted}, not {}", kind_of(node));
            self.wrong(&node.place, message, form);
        }
        None
    }

    /// Reads the keys of an object. Reports unknown keys and missing ones.
    pub fn object<'n>(&mut self, node: &'n Node, title: &str, keys: &'static [Key]) -> Option<Object<'n>> {
        let Content::Object(members) = &node.content else {
            let wanted = format!("an object ({})", title.to_lowercase());
            return self.expected(node, &wanted, "write { } with its keys");
        };
        let meant = Vec::new();
        let mut object = Object { node, meant };
        let key_named = |name: &str| keys.iter().find(|key| key.name == name);
        let written: HashSet<&str> = members.iter().map(|(name, ..)| name.as_str()).collect();
        for (name, place, value) in members.iter().filter(|(name, ..)| key_named(name).is_none()) {
            let problem = Problem::at_place(place.clone(), format!("unknown key `{name}`"));
            let problem = problem.suggest(name, keys.iter().map(|key| key.name));
            // The value of a misspelt key is read as the suggested key.
            let meant = problem.meant().and_then(key_named);
            let is_free =
                |key: &&Key| !written.contains(key.name) && object.meant.iter().all(|m| m.0 != key.name);
            if let Some(key) = meant.filter(is_free) {
                object.meant.push((key.name, value));
            }
            self.report(problem);
        }
        let missing = |key: &&Key| key.is_required && object.get(key.name).is_none();
        for key in keys.iter().filter(missing) {
            let message = format!("the key `{}` is missing", key.name);
            let help = format!("add \"{}\": {}", key.name, about(key));
            self.wrong(&node.place, message, help);
        }
        Some(object)
    }
}

/// An object that is being read.
pub struct Object<'n> {
    node: &'n Node,
    /// Values of misspelt keys, by suggested name.
    meant: Vec<(&'static str, &'n Node)>,
}

impl<'n> Object<'n> {
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        let meant = || self.meant.iter().find(|(name, _)| *name == key);
        self.node.get(key).or_else(|| meant().map(|(_, node)| *node))
    }

    /// The value of a required key.
    pub fn must<T: Read>(&self, key: &str, reader: &mut Reader) -> Option<T> {
        let node = self.get(key)?;
        reader.inside(key, |reader| T::read(node, reader))
    }

    /// The value of an optional key. An invalid value counts as missing and is already reported.
    pub fn may<T: Read>(&self, key: &str, reader: &mut Reader) -> Option<Option<T>> {
        Some(self.must(key, reader))
    }

    /// The value of a key, or the default.
    pub fn all<T: Read + Default>(&self, key: &str, reader: &mut Reader) -> Option<T> {
        Some(self.must(key, reader).unwrap_or_default())
    }
}

/// The documentation of a key in one line, with its unit and an example.
fn about(key: &Key) -> String {
    let (meaning, facts) = key.doc.split_once("\n\n").unwrap_or((key.doc, ""));
    let facts = facts.replace("\n  ", " ");
    let fact = |label: &str| {
        let mut lines = facts.lines();
        lines.find_map(|line| line.trim().strip_prefix("- ")?.strip_prefix(label))
    };
    let unit = fact("Unit: ").filter(|unit| *unit != "yours");
    let unit = unit.map_or(String::new(), |unit| format!(" ({unit})"));
    let example = fact("Example: ").map(|example| format!("; for example {}", example.trim_matches('`')));
    let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
    let meaning = meaning.trim_end_matches('.');
    format!("{meaning}{unit}{}", example.unwrap_or_default())
}

/// The kind of a node, for messages.
pub fn kind_of(node: &Node) -> &'static str {
    match &node.content {
        Content::Broken => "nothing",
        Content::Array(_) => "a list",
        Content::Object(_) => "an object",
        Content::Scalar(value) => match value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(number) if number.is_f64() => "a fraction",
            Value::Number(_) => "a number",
            _ => "a string",
        },
    }
}

/// Declares an object of the pipeline file: its documentation, its title, and its keys. `must` keys are required, `may`
/// keys are optional, `all` keys have the default of their type.
macro_rules! object {
    (
        $(#[doc = $about:literal])+
        $title:literal $name:ident {
            $($(#[doc = $doc:literal])+ $mode:ident $field:ident $(as $key:literal)?: $type:ty,)*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone)]
        #[allow(dead_code, reason = "editors and the linker of modules use some keys alone")]
        pub struct $name {
            /// The place in the file.
            pub place: $crate::problem::Place,
            /// The JSON pointer in the resolved file.
            pub pointer: String,
            $($(#[doc = $doc])+ pub $field: object!(@type $mode $type),)*
        }

        impl $name {
            pub const KEYS: &'static [$crate::spec::definitions::Key] = &[$($crate::spec::definitions::Key {
                name: object!(@key $field $($key)?),
                is_required: object!(@required $mode),
                doc: concat!($($doc, "\n"),+),
            }),*];
        }

        impl $crate::spec::read::Read for $name {
            fn read(node: &$crate::spec::node::Node, reader: &mut $crate::spec::read::Reader) -> Option<Self> {
                let object = reader.object(node, $title, Self::KEYS)?;
                $(let $field = object.$mode::<$type>(object!(@key $field $($key)?), reader);)*
                Some($name { place: node.place.clone(), pointer: reader.pointer(), $($field: $field?,)* })
            }

            fn schema(definitions: &mut $crate::spec::definitions::Definitions) -> serde_json::Value {
                let about = concat!($($about, "\n"),+);
                $crate::spec::definitions::object_schema(definitions, $title, about, Self::KEYS, &|definitions| {
                    vec![$(<$type as $crate::spec::read::Read>::schema(definitions)),*]
                })
            }
        }
    };
    (@type must $type:ty) => { $type };
    (@type may $type:ty) => { Option<$type> };
    (@type all $type:ty) => { $type };
    (@required must) => { true };
    (@required $mode:ident) => { false };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
}

/// Declares the words for the values of a type.
macro_rules! words {
    (
        $(#[doc = $about:literal])+
        $title:literal $name:ident { $($text:literal => $value:expr,)+ }
    ) => {
        impl $name {
            /// The words of the file, with what they stand for.
            pub const WORDS: &'static [(&'static str, $name)] = &[$(($text, $value)),+];
        }

        impl $crate::spec::read::Read for $name {
            fn read(node: &$crate::spec::node::Node, reader: &mut $crate::spec::read::Reader) -> Option<Self> {
                $crate::spec::read::word(node, Self::WORDS, reader)
            }

            fn schema(definitions: &mut $crate::spec::definitions::Definitions) -> serde_json::Value {
                let about = concat!($($about, "\n"),+);
                $crate::spec::definitions::words_schema(definitions, $title, about, &[$($text),+])
            }
        }
    };
}

pub(crate) use {object, words};

/// Reads one of several words.
pub fn word<T: Copy>(node: &Node, words: &[(&str, T)], reader: &mut Reader) -> Option<T> {
    let names = || words.iter().map(|(word, _)| *word);
    let list = names().collect::<Vec<_>>().join(", ");
    let Some(text) = node.text() else {
        return reader.expected(node, &format!("one of {list}"), "write it in double quotes");
    };
    let found = words.iter().find(|(word, _)| *word == text);
    if found.is_none() {
        let problem = Problem::at_place(node.place.clone(), format!("`{text}` is not one of {list}"));
        reader.report(problem.suggest(text, names()));
    }
    found.map(|(_, value)| *value)
}

impl Read for Text {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Some(text) = node.text() else {
            return reader.expected(node, "a string", "write it in double quotes");
        };
        let (text, place) = (text.to_string(), node.place.clone());
        Some(Text { text, place })
    }

    fn schema(_: &mut Definitions) -> Value {
        json!({"type": "string"})
    }
}

impl Read for bool {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Scalar(Value::Bool(value)) => Some(*value),
            _ => reader.expected(node, "true or false", "write it without quotes"),
        }
    }

    fn schema(_: &mut Definitions) -> Value {
        json!({"type": "boolean"})
    }
}

impl<T: Read> Read for Named<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Content::Object(members) = &node.content else {
            return reader.expected(node, "an object", "write { } with a name for each value");
        };
        let mut named = IndexMap::with_capacity(members.len());
        for (name, key, value) in members {
            let value = reader.inside(name, |reader| T::read(value, reader));
            let key = key.clone();
            named.insert(name.clone(), Item { key, value });
        }
        Some(Named(named))
    }

    fn schema(definitions: &mut Definitions) -> Value {
        json!({"type": "object", "additionalProperties": T::schema(definitions)})
    }
}

/// A list without its invalid items.
impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Content::Array(items) = &node.content else {
            return reader.expected(node, "a list", "write a list in [ ]");
        };
        let mut read = Vec::new();
        for (i, item) in items.iter().enumerate() {
            read.extend(reader.inside(&i.to_string(), |reader| T::read(item, reader)));
        }
        Some(read)
    }

    fn schema(definitions: &mut Definitions) -> Value {
        json!({"type": "array", "items": T::schema(definitions)})
    }
}

impl<T: Read> Read for Box<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        T::read(node, reader).map(Box::new)
    }

    fn schema(definitions: &mut Definitions) -> Value {
        T::schema(definitions)
    }
}
