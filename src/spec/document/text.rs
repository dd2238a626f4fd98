//! From the text of a file, and of the files it extends, to a tree of values.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};
use serde_json::Value;

use super::change::{Change, changes_of};
use super::modules::built_in;
use super::node::{Content, Node};
use crate::problem::{Place, Problem, Problems, Source};

/// Largest pipeline file that is read, in bytes: far above any real one, far below what could hurt.
const LARGEST_FILE: u64 = 2 << 20;
/// Most values in one file: each that is wrong costs a kilobyte to word.
const MOST_VALUES: usize = 100_000;
/// Longest chain of `extends`.
const LONGEST_EXTENDS: usize = 16;
/// Deepest nesting of values: more than any stage list or group of parameters needs, little for the stack.
const DEEPEST_NESTING: usize = 64;
/// Whole numbers below this are exact in a double.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// How the names of files that come with the program begin.
const BUILT_IN: &str = "built-in:";

/// Who asks for a file, and where.
#[derive(Clone, Copy)]
pub(super) enum Asked<'a> {
    Person,
    /// A file that extends it, by this path.
    Base(&'a Place, &'a str),
    /// A file that uses it as a module, by this path.
    Module(&'a Place, &'a str),
}

impl Asked<'_> {
    /// The built-in module that is meant if there is no such file. Built-in modules name each other without a directory.
    fn built_in_name(self) -> Option<String> {
        let (place, written) = match self {
            Asked::Person => return None,
            Asked::Base(place, written) | Asked::Module(place, written) => (place, written),
        };
        let asks = place.source.name.strip_prefix(BUILT_IN);
        match (asks.and_then(|module| module.rsplit_once('/')), self) {
            (Some((directory, _)), _) => Some(format!("{directory}/{written}")),
            (None, Asked::Module(..)) => Some(written.to_string()),
            (None, _) => None,
        }
    }
}

/// A file with its bases: its tree without its changes, and these.
pub(super) struct Read {
    pub root: Node,
    pub changes: Vec<Change>,
    /// What tells it from other files.
    pub identity: PathBuf,
}

/// Reads the file at `path` with its bases. `chain` holds the files whose base it is.
pub(super) fn read(path: &Path, chain: &mut Vec<PathBuf>, asked: Asked) -> Result<Read, Problems> {
    let mut name = path.display().to_string();
    let bytes = bytes_of(path).or_else(|cause| {
        // A file on disk goes first, so that a person can put a module of their own in the place of a built-in one.
        let built_in_name = asked.built_in_name().filter(|_| !path.exists());
        let found = built_in_name.and_then(|module| Some((built_in(&module)?, module)));
        let (bytes, module) = found.ok_or(cause)?;
        name = format!("{BUILT_IN}{module}");
        Ok::<_, String>(bytes)
    });
    let bytes = bytes.map_err(|cause| {
        Problems::from(match asked {
            Asked::Base(place, _) => {
                Problem::at_place(place.clone(), format!("cannot read the base {name}: {cause}"))
                    .help("`extends` is a path relative to this file")
            }
            Asked::Module(place, _) => {
                Problem::at_place(place.clone(), format!("cannot read the module {name}: {cause}"))
                    .help("`module` is a path relative to this file, or the name of a built-in module")
            }
            Asked::Person => Problem::without_place(format!("cannot read the pipeline file {name}: {cause}"))
                .help("name an existing JSON file, such as pipelines/snow.json"),
        })
    })?;
    let identity = path.canonicalize().unwrap_or_else(|_| PathBuf::from(&name));
    if let Asked::Base(place, _) = asked
        && (chain.contains(&identity) || chain.len() >= LONGEST_EXTENDS)
    {
        let message = match chain.contains(&identity) {
            true => format!("{name} extends itself through other files"),
            false => format!("the chain of `extends` is longer than {LONGEST_EXTENDS} files"),
        };
        let help = "the last file of the chain must not contain `extends`";
        return Err(Problem::at_place(place.clone(), message).help(help).into());
    }
    chain.push(identity.clone());
    let directory = path.parent().unwrap_or(Path::new(""));
    let text = String::from_utf8(bytes).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let source = Source {
            name: name.clone(),
            text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
            directory: directory.to_path_buf(),
        };
        let place = Place::new(
            &Arc::new(source),
            start..start + char::REPLACEMENT_CHARACTER.len_utf8(),
        );
        Problem::at_place(place, "this is not UTF-8 text").help("save the file as UTF-8")
    })?;
    let mut root = parse(&name, &text, directory)?;
    let changes = merge_bases(&mut root, directory, chain)?;
    Ok(Read {
        root,
        changes,
        identity,
    })
}

/// What is in a file. Only regular files are read: a device or a pipe may never end.
fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".into());
    }
    if metadata.len() > LARGEST_FILE {
        let size = metadata.len();
        return Err(format!(
            "it has {size} bytes, more than the limit of {LARGEST_FILE}"
        ));
    }
    std::fs::read(path).map_err(|error| error.to_string())
}

/// Puts what a file extends under it; returns the changes, those of the bases first.
pub(super) fn merge_bases(
    root: &mut Node,
    directory: &Path,
    chain: &mut Vec<PathBuf>,
) -> Result<Vec<Change>, Problems> {
    let changes = changes_of(root)?;
    let Some(node) = root.take("extends") else {
        return Ok(changes);
    };
    let Content::Scalar(Value::String(base)) = &node.content else {
        return Err(
            Problem::at_place(node.place, "`extends` must be the path of another pipeline file")
                .help("write it in double quotes, relative to this file")
                .into(),
        );
    };
    let read = read(&directory.join(base), chain, Asked::Base(&node.place, base))?;
    let mut merged = read.root;
    merged.merge(root.clone());
    *root = merged;
    let earlier = read.changes.into_iter().map(Change::of_base);
    Ok(earlier.chain(changes).collect())
}

pub(super) fn parse(name: &str, text: &str, directory: &Path) -> Result<Node, Problems> {
    let source = Arc::new(Source {
        name: name.to_string(),
        text: text.to_string(),
        directory: directory.to_path_buf(),
    });
    if text.len() as u64 > LARGEST_FILE {
        let message = format!(
            "{name} has {} bytes, more than the limit of {LARGEST_FILE}",
            text.len()
        );
        return Err(Problem::without_place(message)
            .help("no pipeline needs that much; is this a pipeline file?")
            .into());
    }
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let everything = |source: &Arc<Source>| Place::new(source, 0..text.len().min(1));
    match jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => match parsed.value {
            Some(value) => convert(value, &source, 0, &mut 0),
            None => Err(
                Problem::at_place(everything(&source), "the file does not contain a pipeline")
                    .help("a pipeline is a JSON object; `sastrugi new DIR` writes a small one")
                    .into(),
            ),
        },
        Err(error) => {
            let range = error.range();
            let place = Place::new(&source, range.start..range.end);
            let kind = error.kind().to_string();
            let problem = Problem::at_place(place, format!("not valid JSON: {kind}"));
            Err(problem.help(json_remedy(&kind)).into())
        }
    }
}

/// What to do about a mistake that the JSON parser found.
fn json_remedy(kind: &str) -> &'static str {
    match kind {
        _ if kind.contains("comma") => "put a comma before this value",
        _ if kind.starts_with("Unterminated") => "add the missing end of what starts here",
        _ if kind.contains("quote") => "put it in double quotes",
        _ if kind.contains("more than one") => "a pipeline is a single { }; is there an extra bracket?",
        _ if kind.contains("nesting") => {
            "no part of a pipeline is nested that deeply; is there a missing or extra bracket?"
        }
        _ => "strings are in double quotes; except for comments and trailing commas, the file is plain JSON",
    }
}

/// A whole number written as a fraction (`2.0`, `1e3`) is the whole number.
pub(super) fn simplest(value: Value) -> Value {
    match value.as_f64() {
        Some(f) if value.is_f64() && f.fract() == 0.0 && f.abs() < MOST_EXACT && f != 0.0 => {
            Value::from(f as i64)
        }
        _ => value,
    }
}

/// Turns a parsed value into a node; `count` is the number of values so far.
fn convert(
    value: ast::Value,
    source: &Arc<Source>,
    depth: usize,
    count: &mut usize,
) -> Result<Node, Problems> {
    let range = value.range();
    let place = Place::new(source, range.start..range.end);
    if depth > DEEPEST_NESTING {
        let message = format!("values are nested more than {DEEPEST_NESTING} levels deep");
        return Err(Problem::at_place(place, message)
            .help("no part of a pipeline is nested that deeply; is there a missing or extra bracket?")
            .into());
    }
    *count += 1;
    if *count > MOST_VALUES {
        let message = format!("the file contains more than {MOST_VALUES} values");
        let help = "fill large buffers in a stage of `init`, and use repeats for many stages";
        return Err(Problem::at_place(place, message).help(help).into());
    }
    let content = match value {
        ast::Value::Array(array) => Content::Array(
            array
                .elements
                .into_iter()
                .map(|v| convert(v, source, depth + 1, count))
                .collect::<Result<_, _>>()?,
        ),
        ast::Value::Object(object) => {
            let mut members: Vec<(String, Place, Node)> = Vec::with_capacity(object.properties.len());
            let mut names = HashSet::with_capacity(object.properties.len());
            for property in object.properties {
                let range = property.name.range();
                let key_place = Place::new(source, range.start..range.end);
                let name = property.name.into_string();
                if !names.insert(name.clone()) {
                    let message = format!("`{name}` is written twice in one object");
                    return Err(Problem::at_place(key_place, message)
                        .help("rename or remove one of them: the second would silently replace the first")
                        .into());
                }
                members.push((
                    name,
                    key_place,
                    convert(property.value, source, depth + 1, count)?,
                ));
            }
            Content::Object(members)
        }
        ast::Value::NumberLit(number) => {
            let parsed = serde_json::from_str::<Value>(number.value);
            match parsed.ok().filter(|v| v.as_f64().is_some_and(f64::is_finite)) {
                Some(value) => Content::Scalar(simplest(value)),
                None => {
                    let message = format!("`{}` is not a number that can be represented", number.value);
                    return Err(Problem::at_place(place, message)
                        .help("write a decimal number such as 12, -0.5 or 3e-4, up to 1.7e308")
                        .into());
                }
            }
        }
        ast::Value::StringLit(text) => Content::Scalar(Value::String(text.value.into_owned())),
        ast::Value::BooleanLit(boolean) => Content::Scalar(Value::Bool(boolean.value)),
        ast::Value::NullKeyword(_) => Content::Scalar(Value::Null),
    };
    Ok(Node { place, content })
}
