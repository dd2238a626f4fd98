//! A pipeline file as a tree of values that know where they are written: the file with its bases and overrides, and, once it
//! is linked, with the modules that it uses in the place of their paths. Knows nothing of what other keys mean.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::json::{parse, simplest};
use super::node::{Content, Node};
use super::shipped;
use crate::problem::{Place, Places, Problem, Problems, Source, pointer_parts};

/// Longest chain of `extends`, and deepest nesting of modules.
const MAX_CHAIN: usize = 16;
/// Most values of a file with its modules.
const MAX_LINKED: usize = 1_000_000;

#[derive(Debug, Clone)]
pub(crate) struct Document {
    root: Node,
    /// The directory of the file itself.
    pub directory: PathBuf,
    /// What tells its file from others.
    identity: PathBuf,
    /// Mistakes in its text; what is readable was read.
    problems: Problems,
}

/// Who asks for a file, and where.
#[derive(Clone, Copy)]
enum Asked<'a> {
    Person,
    /// A file that extends it, by this path.
    Base(&'a Place, &'a str),
    /// A file that uses it as a module, by this path.
    Module(&'a Place, &'a str),
}

impl Document {
    /// Reads `path`, merging the files that it extends.
    pub(crate) fn read(path: &Path) -> Result<Document, Problems> {
        read(path, &mut Vec::new(), Asked::Person)
    }

    /// Parses `text` as if it were a file of that name in `directory`.
    pub(crate) fn parse(name: &str, text: &str, directory: &Path) -> Result<Document, Problems> {
        let identity = directory.join(name);
        of_text(name, text, directory, identity, &mut Vec::new())
    }

    /// With the bases that it names merged under it.
    fn with_bases(mut self, chain: &mut Vec<PathBuf>) -> Result<Document, Problems> {
        let Some(node) = self.root.take("extends") else {
            return Ok(self);
        };
        match &node.content {
            Content::Scalar(Value::String(base)) => {
                let path = self.directory.join(base);
                let mut base = read(&path, chain, Asked::Base(&node.place, base))?;
                base.root.merge(self.root);
                self.root = base.root;
                self.problems.list.extend(base.problems.list);
            }
            Content::Broken => {}
            _ => {
                let problem =
                    Problem::at_place(node.place, "`extends` must be the path of another pipeline file");
                self.problems
                    .push(problem.help("write it in double quotes, relative to this file"));
            }
        }
        Ok(self)
    }

    /// Applies one `--set PATH=VALUE`: a dotted path of the JSON, of `parameters`, or of the parameters of an instance. The
    /// value is JSON, or else a string. A path that leads nowhere is a problem, since a misspelt override would otherwise be
    /// ignored.
    pub(crate) fn set(&mut self, assignment: &str) -> Result<(), Problems> {
        let source = Arc::new(Source {
            name: format!("--set {assignment}"),
            text: assignment.to_string(),
            directory: self.directory.clone(),
        });
        let whole = Place::new(&source, 0..assignment.len());
        let Some((path, text)) = assignment.split_once('=') else {
            let problem = Problem::at_place(whole, "write an override as PATH=VALUE");
            return Err(problem.help("for example --set wind.period=20").into());
        };
        let place = Place::new(&source, path.len() + 1..assignment.len());
        let value = match serde_json::from_str::<Value>(text) {
            Ok(value) => Node::from_value(&simplest(value), &place),
            Err(_) => Node::from_value(&Value::String(text.to_string()), &place),
        };
        let parts: Vec<&str> = path.split('.').collect();
        let Some(keys) = self.keys_of(&parts) else {
            let (written, names) = self.names_near(&parts);
            let problem = Problem::at_place(whole, format!("the pipeline has no `{path}`"));
            return Err(problem.suggest(&written, names.iter().map(String::as_str)).into());
        };
        let mut keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        // A parameter keeps its unit, its range and so on.
        let has_facts = self
            .root
            .at(&keys)
            .is_some_and(|node| node.get("value").is_some());
        if has_facts && keys.contains(&"parameters") && !matches!(value.content, Content::Object(_)) {
            keys.push("value");
        }
        self.root.put(&keys, value, &whole);
        Ok(())
    }

    /// The keys that the path of an override stands for.
    fn keys_of(&self, parts: &[&str]) -> Option<Vec<String>> {
        let owned = |parts: &[&str]| parts.iter().map(|part| (*part).to_string()).collect::<Vec<_>>();
        let within = |section: &[&str], parts: &[&str]| [owned(section), owned(parts)].concat();
        let exists = |path: &[&str]| self.root.at(path).is_some();
        // An entry of a list is called by its name or by its number.
        if let [list @ ("init" | "step" | "frame"), name, rest @ ..] = parts
            && name.parse::<usize>().is_err()
            && let Some(path) = entry_path(self.root.get(list)?, name)
        {
            return Some([vec![(*list).to_string()], path, owned(rest)].concat());
        }
        let first = parts[0];
        if !exists(&[first]) {
            // Whether a module has a parameter shows when it is linked.
            if exists(&["use", first]) && parts.len() > 1 {
                return Some(match parts[1] {
                    "stages" => within(&["use"], parts),
                    _ => within(&["use", first, "parameters"], &parts[1..]),
                });
            }
            let keys: Vec<&str> = ["parameters"].iter().chain(parts).copied().collect();
            return exists(&keys).then(|| owned(&keys));
        }
        // `outputs`, `run` and the like may lack an optional key; a parameter must exist.
        let has_parent = parts.len() == 1 || exists(&parts[..parts.len() - 1]);
        let is_there = exists(parts) || has_parent && first != "parameters";
        is_there.then(|| owned(parts))
    }

    /// The part of a path that leads nowhere, and the names that would.
    fn names_near(&self, parts: &[&str]) -> (String, Vec<String>) {
        let (first, parameters) = (parts[0], self.root.get("parameters"));
        let is_parameter = parameters.is_some_and(|parameters| parameters.get(first).is_some());
        if parts.len() == 1 || !is_parameter && self.root.get(first).is_none() {
            let mut names = parameters.map(Node::names).unwrap_or_default();
            names.extend(self.root.get("use").map(Node::names).unwrap_or_default());
            names.extend(self.root.names());
            return (first.to_string(), names);
        }
        let from = if is_parameter {
            parameters.unwrap_or(&self.root)
        } else {
            &self.root
        };
        let (written, names) = from.names_near(parts);
        (written.to_string(), names)
    }

    /// Puts a value at a path of names, as if a text called `name` said so; `-` at the end of the path appends to a list.
    pub(crate) fn add(&mut self, name: &str, path: &[&str], value: &Value) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let Some(node) = parse(name, &format!("{value:#}"), &self.directory, &mut problems) else {
            return Err(problems);
        };
        let place = node.place.clone();
        let Some((&"-", list)) = path.split_last() else {
            self.root.put(path, node, &place);
            return Ok(());
        };
        if self.root.at(list).is_none() {
            let empty = Node {
                place: place.clone(),
                content: Content::Array(Vec::new()),
            };
            self.root.put(list, empty, &place);
        }
        match self.root.at_mut(list).map(|node| &mut node.content) {
            Some(Content::Array(items)) => {
                items.push(node);
                Ok(())
            }
            _ => {
                let message = format!(
                    "`{}` is not a list, so nothing can be added to it",
                    list.join(".")
                );
                let place = self.place(&crate::problem::pointer(list));
                Err(Problem::at_place(place, message)
                    .help("write it as a list, or omit it")
                    .into())
            }
        }
    }

    /// The document as plain JSON.
    pub(crate) fn value(&self) -> Value {
        self.root.to_value()
    }

    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    /// The document with the modules that it uses in the place of their paths, and what is wrong with its texts and theirs.
    pub(crate) fn link(&self) -> (Document, Problems) {
        let mut linked = self.clone();
        let mut problems = std::mem::take(&mut linked.problems);
        let mut linker = Linker {
            chain: vec![self.identity.clone()],
            values: 0,
            problems: &mut problems,
        };
        linker.link(&mut linked.root);
        (linked, problems)
    }

    /// The pointers of places, for problems that know only these.
    pub(crate) fn pointers(&self) -> Pointers {
        let mut pointers = Pointers::default();
        pointers.gather(&self.root, String::new());
        pointers
    }
}

/// The path to the entry of a name in a list, and in the lists inside it.
fn entry_path(list: &Node, name: &str) -> Option<Vec<String>> {
    let Content::Array(entries) = &list.content else {
        return None;
    };
    let is_called = |node: Option<&Node>| matches!(node.map(|node| &node.content), Some(Content::Scalar(Value::String(text))) if text == name);
    for (number, entry) in entries.iter().enumerate() {
        let number = number.to_string();
        if is_called(entry.get("stage")) || is_called(entry.get("repeat")) {
            return Some(vec![number]);
        }
        let inner = entry.get("stages").and_then(|stages| entry_path(stages, name));
        if let Some(inner) = inner {
            return Some([vec![number, "stages".to_string()], inner].concat());
        }
    }
    None
}

/// Reads the file at `path` with its bases. `chain` holds the files whose base it is.
fn read(path: &Path, chain: &mut Vec<PathBuf>, asked: Asked) -> Result<Document, Problems> {
    let mut name = path.display().to_string();
    let mut directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let bytes = bytes_of(path).or_else(|cause| {
        let (place, written) = match asked {
            Asked::Person => return Err(cause),
            Asked::Base(place, written) | Asked::Module(place, written) => (place, written),
        };
        // A file on disk goes first, so that a person can put a file of their own in the place of a shipped one.
        let found = Some(shipped::find(written, &place.source.name))
            .flatten()
            .filter(|_| !path.exists());
        let (bytes, found) = found.ok_or(cause)?;
        if let Some(unpacked) = shipped::assets_of(&found) {
            directory = unpacked?;
        }
        name = format!("{}{found}", shipped::PREFIX);
        Ok::<_, String>(bytes)
    });
    let bytes = bytes.map_err(|cause| {
        Problems::from(match asked {
            Asked::Base(place, _) => {
                Problem::at_place(place.clone(), format!("cannot read the base {name}: {cause}"))
                    .help("`extends` is a path relative to this file, or the name of a file that comes with the program")
            }
            Asked::Module(place, _) => {
                Problem::at_place(place.clone(), format!("cannot read the module {name}: {cause}"))
                    .help("`module` is a path relative to this file, or the name of a module that comes with the program")
            }
            Asked::Person => Problem::without_place(format!("cannot read the pipeline file {name}: {cause}"))
                .help("name an existing JSON file, such as pipelines/snow.json"),
        })
    })?;
    let identity = path.canonicalize().unwrap_or_else(|_| PathBuf::from(&name));
    if let Asked::Base(place, _) = asked
        && (chain.contains(&identity) || chain.len() >= MAX_CHAIN)
    {
        let message = match chain.contains(&identity) {
            true => format!("{name} extends itself through other files"),
            false => format!("the chain of `extends` is longer than {MAX_CHAIN} files"),
        };
        let help = "the last file of the chain must not contain `extends`";
        return Err(Problem::at_place(place.clone(), message).help(help).into());
    }
    chain.push(identity.clone());
    let text = String::from_utf8(bytes).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let source = Arc::new(Source {
            name: name.clone(),
            text,
            directory: directory.clone(),
        });
        let place = Place::new(&source, start..start + char::REPLACEMENT_CHARACTER.len_utf8());
        Problem::at_place(place, "this is not UTF-8 text").help("save the file as UTF-8")
    })?;
    of_text(&name, &text, &directory, identity, chain)
}

/// What is in a file. Only regular files are read: a device or a pipe may never end.
fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".into());
    }
    let (size, most) = (metadata.len(), super::json::MAX_BYTES);
    match size > most {
        true => Err(format!("it has {size} bytes, more than the limit of {most}")),
        false => std::fs::read(path).map_err(|error| error.to_string()),
    }
}

/// A file with its bases merged under it.
fn of_text(
    name: &str,
    text: &str,
    directory: &Path,
    identity: PathBuf,
    chain: &mut Vec<PathBuf>,
) -> Result<Document, Problems> {
    let mut problems = Problems::default();
    let root = parse(name, text, directory, &mut problems);
    let Some(root) = root else { return Err(problems) };
    let document = Document {
        root,
        directory: directory.to_path_buf(),
        identity,
        problems,
    };
    document.with_bases(chain)
}

/// Puts modules in the place of their paths.
struct Linker<'p> {
    /// The files round the one that is linked.
    chain: Vec<PathBuf>,
    values: usize,
    problems: &'p mut Problems,
}

impl Linker<'_> {
    fn link(&mut self, root: &mut Node) {
        let Some(Content::Object(uses)) = root.at_mut(&["use"]).map(|node| &mut node.content) else {
            return;
        };
        for (_, key, entry) in uses {
            let Some(written) = entry.get("module") else {
                continue;
            };
            let (Content::Scalar(Value::String(_)) | Content::Object(_)) = written.content else {
                continue;
            };
            let module = self.module(written, key);
            let Some((mut module, identity)) = module else {
                if let Some(module) = entry.at_mut(&["module"]) {
                    module.content = Content::Broken;
                }
                continue;
            };
            if let Some(patch) = entry.take("stages") {
                let mut patched = Node {
                    place: patch.place.clone(),
                    content: Content::Object(Vec::new()),
                };
                if let Some(stages) = module.take("stages") {
                    patched = stages;
                }
                let place = patched.place.clone();
                patched.merge(patch);
                patched.place = place.clone();
                module.put(&["stages"], patched, &place);
            }
            self.chain.push(identity);
            self.link(&mut module);
            self.chain.pop();
            if let Some(slot) = entry.at_mut(&["module"]) {
                *slot = module;
            }
        }
    }

    /// The module that stands at `key` as a path, or as an object in the file itself.
    fn module(&mut self, written: &Node, key: &Place) -> Option<(Node, PathBuf)> {
        let (place, from) = (&written.place, &written.place.source.directory);
        let is_file = matches!(written.content, Content::Scalar(_));
        let read = match &written.content {
            Content::Scalar(Value::String(path)) => {
                read(&from.join(path), &mut Vec::new(), Asked::Module(place, path))
            }
            Content::Object(_) => {
                let (root, identity) = (written.clone(), PathBuf::from(place.text()));
                Document {
                    root,
                    directory: from.clone(),
                    identity,
                    problems: Problems::default(),
                }
                .with_bases(&mut Vec::new())
            }
            _ => return None,
        };
        let used = |problem: Problem| if is_file { problem.used_at(place) } else { problem };
        let read = read.map_err(|problems| self.problems.list.extend(problems.list.into_iter().map(used)));
        let mut module = read.ok()?;
        self.problems
            .list
            .extend(module.problems.list.drain(..).map(used));
        self.values += count(&module.root);
        let message = if self.chain.contains(&module.identity) {
            "a module uses itself, directly or through others".to_string()
        } else if self.chain.len() > MAX_CHAIN {
            format!("modules are nested more than {MAX_CHAIN} deep")
        } else if self.values > MAX_LINKED {
            // Told once.
            self.values = 0;
            self.chain.resize(MAX_CHAIN + 1, PathBuf::new());
            format!("the modules have more than {MAX_LINKED} values together")
        } else {
            if is_file {
                module.root.use_at(&Arc::new(key.clone()));
            }
            return Some((module.root, module.identity));
        };
        let problem = Problem::at_place(place.clone(), message);
        self.problems
            .push(problem.help("use fewer instances, or leave a circle out"));
        None
    }
}

/// The number of values in a node.
fn count(node: &Node) -> usize {
    1 + match &node.content {
        Content::Scalar(_) | Content::Broken => 0,
        Content::Array(items) => items.iter().map(count).sum::<usize>(),
        Content::Object(members) => members.iter().map(|(.., value)| count(value)).sum(),
    }
}

/// The JSON pointers of places.
#[derive(Default)]
pub(crate) struct Pointers {
    known: HashMap<(usize, usize, usize), String>,
}

impl Pointers {
    fn gather(&mut self, node: &Node, pointer: String) {
        match &node.content {
            Content::Scalar(_) | Content::Broken => {}
            Content::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.gather(item, format!("{pointer}/{i}"));
                }
            }
            Content::Object(members) => {
                for (name, key, value) in members {
                    // Inside a module, a pointer is one of the module's file.
                    let inner = match name == "module"
                        && pointer.rsplit_once('/').is_some_and(|(p, _)| p.ends_with("use"))
                    {
                        true if matches!(value.content, Content::Object(_)) => String::new(),
                        _ => format!("{pointer}/{}", crate::problem::pointer_part(name)),
                    };
                    self.known.entry(key_of(key)).or_insert_with(|| inner.clone());
                    self.gather(value, inner);
                }
            }
        }
        self.known.entry(key_of(&node.place)).or_insert(pointer);
    }

    /// The pointer of a value or key, or of the value that a part of a text belongs to.
    pub(crate) fn of(&self, place: &Place) -> Option<&str> {
        let exact = self.known.get(&key_of(place));
        let around = || {
            let (source, start, end) = key_of(place);
            let inside = self
                .known
                .iter()
                .filter(|((other, from, to), _)| *other == source && *from <= start && end <= *to);
            inside
                .min_by_key(|((_, from, to), _)| to - from)
                .map(|(_, pointer)| pointer)
        };
        exact.or_else(around).map(String::as_str)
    }
}

fn key_of(place: &Place) -> (usize, usize, usize) {
    (
        Arc::as_ptr(&place.source) as usize,
        place.range.start,
        place.range.end,
    )
}

impl Places for Document {
    fn place(&self, pointer: &str) -> Place {
        let mut node = &self.root;
        for part in pointer_parts(pointer) {
            match node.get(&part) {
                Some(next) => node = next,
                None => break,
            }
        }
        node.place.clone()
    }

    fn key_place(&self, pointer: &str) -> Place {
        let parts = pointer_parts(pointer);
        let Some((last, parents)) = parts.split_last() else {
            return self.root.place.clone();
        };
        let parents: Vec<&str> = parents.iter().map(String::as_str).collect();
        let parent = self.root.at(&parents);
        let key = parent
            .and_then(|parent| parent.member(last))
            .map(|(_, place, _)| place.clone());
        key.unwrap_or_else(|| self.place(pointer))
    }

    fn pointer_of(&self, places: &mut dyn Iterator<Item = &Place>) -> Vec<Option<String>> {
        let pointers = self.pointers();
        places
            .map(|place| pointers.of(place).map(str::to_string))
            .collect()
    }
}
