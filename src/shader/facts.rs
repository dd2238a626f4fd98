//! What a kernel states of itself, in `#pragma` lines of its text and of the files that it includes: what the host must know
//! before it can generate the kernel's interface.
//!
//! | line | states |
//! |---|---|
//! | `#pragma arguments sides damping` | parameters, or groups of them, that are its arguments where a stage gives no others |
//! | `#pragma argument int axis` | the type of an argument |
//! | `#pragma constant SURFACE surface` | the parameter that a specialization constant has the value of, where a stage gives no other |
//! | `#pragma reads grid.p grid.faces` | fields that it reads, by the names that it has for them; also `writes` and `requests` |
//! | `#pragma reduces sum residual` | reductions over its elements: `sum`, `min`, `max` or `count`, with the results |
//! | `#pragma reach grid_p 1` | how far from its own element it accesses a field: so many cells, or `anywhere` |
//! | `#pragma unordered grid_p` | elements read the field while others write it, on purpose and in any order |
//! | `#pragma workgroup 256` | it runs as workgroups of this size, one to three numbers |
//! | `#pragma vector_width 4` | its accessors join as many cells along x |
//! | `#pragma tile 32 8 COLUMN` | the cells that a workgroup takes, for stages that run it over a grid: numbers or constants |
//!
//! Compilers of GLSL ignore them. Other names of fields are those of accessors.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::library::{Found, Library};
use crate::element::Element;
use crate::ir::Reach;
use crate::problem::{Place, Source};

/// What a kernel states of itself.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub reads: Vec<(String, Place)>,
    pub writes: Vec<(String, Place)>,
    pub requests: Vec<(String, Place)>,
    /// Results with their operations.
    pub reduces: Vec<(String, String, Place)>,
    /// Parameters that are its arguments, and those that are its constants.
    pub takes: Vec<String>,
    pub constants_of: BTreeMap<String, String>,
    pub arguments: BTreeMap<String, Element>,
    pub reaches: BTreeMap<String, Reach>,
    pub unordered: BTreeSet<String>,
    pub workgroup: Option<[u32; 3]>,
    pub vector_width: Option<u32>,
    pub tile: Option<[Extent; 3]>,
    /// Values that specialization constants have in its text.
    pub constants: BTreeMap<String, f64>,
    /// Accessors in such lines, with the first line of each.
    pub named: BTreeMap<String, Place>,
    /// Lines that state nothing that is known, and why.
    pub wrong: Vec<(Place, String)>,
    /// Whether it is text: a SPIR-V module states nothing.
    pub is_text: bool,
}

/// A side of a tile.
#[derive(Debug, Clone, PartialEq)]
pub enum Extent {
    Cells(u32),
    /// The value of a specialization constant.
    Constant(String),
}

/// Largest text of a kernel with its includes, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// The kernels of a pipeline; each is read once.
pub struct Kernels {
    library: Library,
    known: RefCell<HashMap<(String, String), Rc<Facts>>>,
}

impl Kernels {
    pub fn new(library: Library) -> Kernels {
        Kernels {
            library,
            known: RefCell::default(),
        }
    }

    /// What the shader states that a file in `directory` names; nothing if there is no such shader, which compiling reports.
    pub fn facts(&self, path: &str, directory: &Path) -> Rc<Facts> {
        let key = (path.to_string(), directory.display().to_string());
        if let Some(facts) = self.known.borrow().get(&key) {
            return facts.clone();
        }
        let found = self.library.find_shader(path, directory);
        let facts = Rc::new(
            found
                .map(|found| facts_of(&self.library, found))
                .unwrap_or_default(),
        );
        self.known.borrow_mut().insert(key, facts.clone());
        facts
    }
}

/// What a text and its includes state.
pub fn facts_of(library: &Library, found: Found) -> Facts {
    let mut facts = Facts {
        is_text: !found.name.ends_with(".spv"),
        ..Facts::default()
    };
    if !facts.is_text {
        return facts;
    }
    let mut seen = BTreeSet::from([found.name.clone()]);
    let mut open = vec![found];
    let mut bytes = 0;
    while let Some(file) = open.pop() {
        bytes += file.bytes.len();
        if bytes > MAX_BYTES {
            return facts;
        }
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        let source = Arc::new(Source {
            name: file.name.clone(),
            text,
            directory: PathBuf::new(),
        });
        let mut end = 0;
        for line in source.text.split_inclusive('\n') {
            let start = end;
            end += line.len();
            let line = line.trim();
            if let Some(included) = line
                .strip_prefix("#include \"")
                .and_then(|rest| rest.split('"').next())
            {
                let found = library
                    .find(included, Some(&file.name))
                    .filter(|_| included != "stage.glsl");
                open.extend(found.filter(|found| seen.insert(found.name.clone())));
            } else if let Some(pragma) = line.strip_prefix("#pragma ") {
                let stated = pragma.split("//").next().unwrap_or_default();
                let words: Vec<&str> = stated.split_whitespace().collect();
                let place = Place::new(&source, start..start + line.len());
                if let Err(cause) = facts.state(&words, &place) {
                    facts.wrong.push((place, cause));
                }
            } else if line.contains("constant_id") {
                facts.constants.extend(constant_in(line));
            }
        }
    }
    facts
}

/// The name and value of a specialization constant that a line defines.
fn constant_in(line: &str) -> Option<(String, f64)> {
    let (before, after) = line.split_once('=').and_then(|(_, rest)| rest.split_once('='))?;
    let name = before.split_whitespace().last()?;
    let value = after.trim().trim_end_matches([';', 'u', 'U', 'f', 'F']).trim();
    Some((name.to_string(), value.parse().ok()?))
}

impl Facts {
    fn state(&mut self, words: &[&str], place: &Place) -> Result<(), String> {
        let is_name = |name: &&str| {
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c))
        };
        match words {
            [kind @ ("reads" | "writes" | "requests"), names @ ..]
                if !names.is_empty() && names.iter().all(is_name) =>
            {
                let list = match *kind {
                    "reads" => &mut self.reads,
                    "writes" => &mut self.writes,
                    _ => &mut self.requests,
                };
                for name in names {
                    // A kernel and its includes may both state one.
                    if !list.iter().any(|(known, _)| known == name) {
                        list.push(((*name).to_string(), place.clone()));
                    }
                }
            }
            [
                "reduces",
                operation @ ("sum" | "min" | "max" | "count"),
                names @ ..,
            ] if !names.is_empty() && names.iter().all(is_name) => {
                let results = names
                    .iter()
                    .map(|name| ((*name).to_string(), (*operation).to_string(), place.clone()));
                self.reduces.extend(results);
            }
            ["arguments", names @ ..] if !names.is_empty() && names.iter().all(is_name) => {
                for name in names {
                    if !self.takes.iter().any(|known| known == name) {
                        self.takes.push((*name).to_string());
                    }
                }
            }
            ["constant", name, parameter] if is_name(parameter) => {
                self.constants_of
                    .insert((*name).to_string(), (*parameter).to_string());
            }
            ["argument", kind, name] => {
                let element = Element::ALL.iter().find(|element| element.name() == *kind);
                let element = element.filter(|element| !element.is_narrow() && **element != Element::Rgba8);
                let element = element.ok_or(format!("`{kind}` is no type of arguments"))?;
                self.arguments.insert((*name).to_string(), *element);
            }
            ["reach", name, reach] => {
                let reach = match *reach {
                    "anywhere" => Reach::Anywhere,
                    cells => {
                        let cells = cells.parse::<u32>();
                        let cells =
                            cells.map_err(|_| "a reach is a number of cells, or `anywhere`".to_string())?;
                        Reach::Cells(cells)
                    }
                };
                // A kernel and its includes may both state one: the farther one counts.
                let known = self.reaches.entry((*name).to_string()).or_insert(reach);
                *known = (*known).max(reach);
                self.named.entry((*name).to_string()).or_insert(place.clone());
            }
            ["unordered", name] => {
                self.unordered.insert((*name).to_string());
                self.named.entry((*name).to_string()).or_insert(place.clone());
            }
            ["workgroup", sizes @ ..] if (1..=3).contains(&sizes.len()) => {
                let mut workgroup = [1; 3];
                for (axis, size) in sizes.iter().enumerate() {
                    let size = size.parse::<u32>().ok().filter(|size| (1..=1024).contains(size));
                    workgroup[axis] = size.ok_or("a workgroup has sizes from 1 to 1024")?;
                }
                self.workgroup = Some(workgroup);
            }
            ["vector_width", width @ ("2" | "4")] => self.vector_width = width.parse().ok(),
            ["tile", x, y, z] => {
                self.tile = Some([x, y, z].map(|side| match side.parse::<u32>() {
                    Ok(cells) => Extent::Cells(cells.max(1)),
                    Err(_) => Extent::Constant((*side).to_string()),
                }));
            }
            [
                word @ ("reads" | "writes" | "requests" | "reduces" | "arguments" | "argument" | "constant"
                | "reach" | "unordered" | "workgroup" | "vector_width" | "tile"),
                ..,
            ] => {
                return Err(format!("`{word}` is not stated in this form"));
            }
            // Others are for the compiler.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Texts;

    fn facts(files: &[(&str, &str)]) -> Facts {
        let mut texts = Texts::default();
        for (path, text) in files {
            texts.insert(path, text.as_bytes().to_vec()).unwrap();
        }
        let library = Library::new(Path::new("/nonexistent")).with_texts(&texts);
        Kernels::new(library)
            .facts(files[0].0, Path::new("/nonexistent"))
            .as_ref()
            .clone()
    }

    #[test]
    fn pragmas_of_kernels_and_includes_are_collected() {
        let facts = facts(&[
            (
                "a/k.comp",
                "#version 460\n#pragma argument ivec3 low // sides\n#pragma reach value 1\n#pragma workgroup 256\n\
                 #pragma reads value grid.x\n#pragma writes next\n#pragma reduces max largest\n\
                 #pragma tile 32 8 COLUMN\nlayout(constant_id = 0) const uint COLUMN = 16u;\n#include \"b.glsl\"\n\
                 #include \"stage.glsl\"\n",
            ),
            (
                "a/b.glsl",
                "#pragma reads grid.x\n#pragma reach value 2\n#pragma reach x anywhere\n#pragma unordered x\n#pragma once\n#include \"b.glsl\"\n",
            ),
        ]);
        assert_eq!(facts.arguments["low"], Element::Ivec3);
        assert_eq!(facts.reaches["value"], Reach::Cells(2));
        assert_eq!(facts.reaches["x"], Reach::Anywhere);
        assert!(facts.unordered.contains("x") && facts.wrong.is_empty() && facts.is_text);
        assert_eq!(facts.workgroup, Some([256, 1, 1]));
        let tile = facts.tile.unwrap();
        assert_eq!(
            tile,
            [
                Extent::Cells(32),
                Extent::Cells(8),
                Extent::Constant("COLUMN".into())
            ]
        );
        assert_eq!(facts.constants["COLUMN"], 16.0);
        let names = |list: &[(String, Place)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&facts.reads), ["value", "grid.x"]);
        assert_eq!(names(&facts.writes), ["next"]);
        assert_eq!(facts.reduces[0].0, "largest");
    }

    #[test]
    fn unknown_pragmas_are_reported() {
        let facts = facts(&[(
            "k.comp",
            "#pragma argument half x\n#pragma reach u far\n#pragma tile 1\n#pragma workgroup 0\n#pragma vector_width 3\n#pragma reads\n#pragma reduces mean x\n#pragma optimize(on)\n",
        )]);
        let causes: Vec<(usize, &str)> = facts
            .wrong
            .iter()
            .map(|(place, cause)| (place.range.start, &**cause))
            .collect();
        assert_eq!(causes.len(), 7, "{causes:?}");
        assert_eq!(causes[0], (0, "`half` is no type of arguments"));
        // The control: a kernel that is not there states nothing.
        let none = Kernels::new(Library::new(Path::new("/x"))).facts("k.comp", Path::new("/x"));
        assert!(none.wrong.is_empty() && none.arguments.is_empty() && !none.is_text);
    }
}
