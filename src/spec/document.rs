//! A pipeline file, merged with its bases, as a tree of values with places. `extends` is the only key that is
//! interpreted here.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::json::parse;
use super::node::{Content, Node};
use super::shipped;
use super::source_map::DocumentMap;
use crate::input_file;
use crate::problem::{Place, Problem, Problems, SourceText};

/// Maximum length of a chain of `extends`, and maximum nesting of modules.
pub(super) const MAX_CHAIN: usize = 16;

#[derive(Debug, Clone)]
pub struct Document {
    pub root: Node,
    /// The directory of the file itself.
    pub directory: PathBuf,
    /// The canonical path of the file, which identifies it.
    pub identity: PathBuf,
    /// Mistakes in the text. The valid parts are in `root`.
    pub problems: Problems,
}

/// The origin of a request for a file.
#[derive(Clone, Copy)]
pub enum Asked<'a> {
    Person,
    /// A file extends it; the place and the path in that file.
    Base(&'a Place, &'a str),
    /// A file uses it as a module; the place and the path in that file.
    Module(&'a Place, &'a str),
}

impl Document {
    /// Reads `path`, merging the files that it extends.
    pub fn read(path: &Path) -> Result<Document, Problems> {
        read(path, &mut Vec::new(), Asked::Person)
    }

    /// Parses `text` as if it were a file of that name in `directory`.
    pub fn parse(name: &str, text: &str, directory: &Path) -> Result<Document, Problems> {
        let identity = directory.join(name);
        of_text(name, text, directory, identity, &mut Vec::new())
    }

    /// Finds the places of problems.
    pub fn source_map(&self) -> DocumentMap<'_> {
        DocumentMap::new(&self.root)
    }

    /// Merges the document over the base that it extends.
    pub fn with_bases(mut self, chain: &mut Vec<PathBuf>) -> Result<Document, Problems> {
        let Some(node) = self.root.take("extends") else {
            return Ok(self);
        };
        if let Some(base) = node.text() {
            let path = self.directory.join(base);
            let mut base = read(&path, chain, Asked::Base(&node.place, base))?;
            base.root.merge(self.root);
            self.root = base.root;
            self.problems.list.extend(base.problems.list);
        } else if !matches!(node.content, Content::Broken) {
            let message = "`extends` must be the path of another pipeline file";
            let help = "write it in double quotes, relative to this file";
            self.problems.push(Problem::at(&node.place, message, help));
        }
        Ok(self)
    }

    /// The document as plain JSON.
    pub fn value(&self) -> Value {
        self.root.to_value()
    }

    pub fn root(&self) -> &Node {
        &self.root
    }
}

/// Reads the file at `path` with its bases. `chain` contains the files that extend it.
pub fn read(path: &Path, chain: &mut Vec<PathBuf>, asked: Asked) -> Result<Document, Problems> {
    let mut name = path.display().to_string();
    let mut directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let bytes = input_file::read(path, super::json::MAX_BYTES).or_else(|cause| {
        let (place, written) = match asked {
            Asked::Person => return Err(cause),
            Asked::Base(place, written) | Asked::Module(place, written) => (place, written),
        };
        // Files on disk take precedence, so that users can replace shipped files.
        let found = if path.exists() {
            None
        } else {
            shipped::find(written, &place.source.name)
        };
        let (bytes, found) = found.ok_or(cause)?;
        if let Some(unpacked) = shipped::assets_of(&found) {
            directory = unpacked?;
        }
        name = format!("{}{found}", shipped::PREFIX);
        Ok::<_, String>(bytes)
    });
    let bytes = bytes.map_err(|cause| {
        const NAMED: &str = "is a path relative to this file, or the name of a";
        Problems::from(match asked {
            Asked::Base(place, _) => {
                let message = format!("cannot read the base {name}: {cause}");
                Problem::at(
                    place,
                    message,
                    format!("`extends` {NAMED} file that comes with the program"),
                )
            }
            Asked::Module(place, _) => {
                let message = format!("cannot read the module {name}: {cause}");
                Problem::at(
                    place,
                    message,
                    format!("`module` {NAMED} module that comes with the program"),
                )
            }
            Asked::Person => Problem::without_place(format!("cannot read the pipeline file {name}: {cause}"))
                .help("name an existing JSON file, such as pipelines/snow.json"),
        })
    })?;
    let identity = path.canonicalize().unwrap_or_else(|_| PathBuf::from(&name));
    if let Asked::Base(place, _) = asked
        && (chain.contains(&identity) || chain.len() >= MAX_CHAIN)
    {
        let message = if chain.contains(&identity) {
            format!("{name} extends itself through other files")
        } else {
            format!("the chain of `extends` is longer than {MAX_CHAIN} files")
        };
        let help = "the last file of the chain must not contain `extends`";
        return Err(Problem::at(place, message, help).into());
    }
    chain.push(identity.clone());
    // Its text is not shown: it may be any file that the user can read.
    if let Asked::Base(place, _) | Asked::Module(place, _) = asked
        && !begins_as_object(&bytes)
    {
        let message = format!("{name} is not a pipeline file: it does not begin with {{");
        let help = "name a JSON file with an object, as `sastrugi schema` describes it";
        return Err(Problem::at(place, message, help).into());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let source = SourceText::new(&name, text, &directory);
        let place = Place::new(&source, start..start + char::REPLACEMENT_CHARACTER.len_utf8());
        Problem::at(&place, "this is not UTF-8 text", "save the file as UTF-8")
    })?;
    of_text(&name, &text, &directory, identity, chain)
}

/// True if a file begins with an object, after comments.
fn begins_as_object(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.trim_start_matches('\u{FEFF}').trim_start();
    loop {
        let comment = match (rest.strip_prefix("//"), rest.strip_prefix("/*")) {
            (Some(comment), _) => comment.split_once('\n'),
            (_, Some(comment)) => comment.split_once("*/"),
            (None, None) => return rest.starts_with('{'),
        };
        let Some((_, after)) = comment else { return false };
        rest = after.trim_start();
    }
}

/// Parses the text of a file and merges it over its bases.
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
