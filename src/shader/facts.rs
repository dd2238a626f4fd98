//! The `#pragma` lines of a kernel and of the files that it includes: the host needs them to generate the kernel's
//! interface.
//!
//! | line | states |
//! |---|---|
//! | `#pragma arguments sides damping` | parameters, or groups of them, that are its arguments where a stage gives no others |
//! | `#pragma argument int axis` | the type of an argument |
//! | `#pragma constant SURFACE surface` | the parameter that a specialization constant has the value of, where a stage gives no other |
//! | `#pragma reads grid.p grid.faces` | fields that it reads, by the names that it has for them; also `writes` and `requests` |
//! | `#pragma writes grid.p if grid.q` | a field that it writes only if an optional one is there |
//! | `#pragma reduces sum residual` | reductions over its elements: `sum`, `min`, `max` or `count`, with the results |
//! | `#pragma reach grid_p 1` | how far from its own element it accesses a field: so many cells, or `anywhere` |
//! | `#pragma reach grid_p 2 0` | the same, and how far away it writes |
//! | `#pragma offsets 5 1,0 0,1` | the offsets of the pairs of entries of arrays with so many entries |
//! | `#pragma alternates grid_f` | the entries of a field belong to elements in turn, at these offsets |
//! | `#pragma keeps grid_u grid_kind` | it reads no value of another element that it writes, unless `grid_kind` changes |
//! | `#pragma unordered grid_p` | elements read the field while others write it, on purpose and in any order |
//! | `#pragma workgroup 256` | it runs as workgroups of this size, one to three numbers; over cells and pixels, on GPUs alone and with one cell per invocation, if its invocations do not depend on each other |
//! | `#pragma vector_width 4` | its accessors join as many cells along x |
//! | `#pragma tile 32 8 COLUMN` | the cells that a workgroup takes, for stages that run it over a grid: numbers or constants |
//! | `#pragma adds counters` | it only adds to a field of integers, so that ranks may add apart; `carry` follows the name if each second element counts the overflows of the one before |
//! | `#pragma shares flakes` | its workgroups divide the particles from `flakes_held_first` to `flakes_held_end` among them |
//! | `#pragma neighbours 1` | over sorted particles: it reads those that were sorted in cells up to one away |
//! | `#pragma whole` | every rank may run the kernel whole, on gathered fields, if it cannot be divided |
//!
//! GLSL compilers ignore these lines. In `reach`, `alternates`, `unordered` and `adds`, fields have the names of their accessors.

mod pragmas;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::library::{Found, Library};
use crate::element::Element;
use crate::ir::{Alternation, Pairs, Reaches};
use crate::problem::{Place, SourceText};

/// The statements of a kernel's `#pragma` lines.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub reads: Vec<(String, Place)>,
    pub writes: Vec<(String, Place)>,
    pub requests: Vec<(String, Place)>,
    /// Fields that it writes only with another one, which is optional.
    pub writes_with: BTreeMap<String, String>,
    /// Results with their operations.
    pub reduces: Vec<(String, String, Place)>,
    /// Parameters that become arguments, and constants with their parameters.
    pub takes: Vec<String>,
    pub constants_of: BTreeMap<String, String>,
    pub arguments: BTreeMap<String, Element>,
    pub reaches: BTreeMap<String, Reaches>,
    /// Offsets of pairs by the number of entries.
    pub offsets: BTreeMap<u32, Pairs>,
    /// Fields whose entries alternate, by accessor: true if entries of the last step are read as well.
    pub alternates: BTreeMap<String, bool>,
    /// Fields of which other elements read none that the kernel writes, by accessor: the field that decides it.
    pub keeps: BTreeMap<String, String>,
    pub unordered: BTreeSet<String>,
    /// Fields to which it only adds, by accessor: true if each second element counts overflows of the one before.
    pub adds: BTreeMap<String, bool>,
    /// The set whose particles its workgroups divide among them.
    pub shares: Option<(String, Place)>,
    pub workgroup: Option<[u32; 3]>,
    pub vector_width: Option<u32>,
    pub tile: Option<[Extent; 3]>,
    /// It reads particles of its set that were sorted in cells up to so many away.
    pub neighbours: Option<u32>,
    /// Ranks may run the kernel whole, on gathered fields.
    pub whole: bool,
    /// Default values of specialization constants.
    pub constants: BTreeMap<String, f64>,
    /// Accessors named in pragmas, with the first line of each.
    pub named: BTreeMap<String, Place>,
    /// Pragmas in a wrong form, with the reason.
    pub wrong: Vec<(Place, String)>,
    /// The kernel numbers its invocations by itself, or they cooperate.
    pub own_numbers: bool,
    /// The kernel numbers its workgroups by itself.
    pub own_groups: bool,
    /// False for a SPIR-V module, which has no pragmas.
    pub is_text: bool,
}

impl Facts {
    /// How the kernel accesses a field with some entries, if they alternate.
    pub fn alternation(&self, accessor: &str, entries: Option<u32>) -> Option<Alternation> {
        let last = *self.alternates.get(accessor)?;
        let pairs = *self.offsets.get(&entries?)?;
        Some(Alternation { pairs, last })
    }
}

impl Facts {
    /// True if the kernel depends on the numbers of its invocations. Those of a tile share memory, so only the numbers of
    /// workgroups count there.
    pub fn numbers_itself(&self) -> bool {
        if self.tile.is_some() || self.shares.is_some() {
            self.own_groups
        } else {
            self.own_numbers
        }
    }
}

/// A side of a tile.
#[derive(Debug, Clone, PartialEq)]
pub enum Extent {
    Cells(u32),
    /// The value of a specialization constant.
    Constant(String),
}

/// Maximum size of a kernel with its includes, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Reads each kernel of a pipeline once.
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

    /// The pragmas of the shader that a file in `directory` names. They are empty if there is no such shader, which
    /// compilation reports.
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

/// Reads the pragmas of a text and its includes.
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
        let source = Arc::new(SourceText {
            name: file.name.clone(),
            text,
            directory: PathBuf::new(),
        });
        let mut end = 0;
        for line in source.text.split_inclusive('\n') {
            let start = end;
            end += line.len();
            let line = line.trim();
            let code = line.split("//").next().unwrap_or_default();
            facts.own_numbers |= has(code, OWN_NUMBERS);
            facts.own_groups |= has(code, OWN_GROUPS);
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
                if let Err(cause) = facts.add_pragma(&words, &place) {
                    facts.wrong.push((place, cause));
                }
            } else if line.contains("constant_id") {
                facts.constants.extend(constant_in(line));
            }
        }
    }
    facts
}

/// Words in kernels in which the number of an invocation matters, not only its element; and the same of workgroups.
const OWN_NUMBERS: &[&str] = &["OWN_MAIN", "stage_linear", "gl_", "subgroup", "barrier("];
const OWN_GROUPS: &[&str] = &[
    "OWN_MAIN",
    "stage_linear",
    "gl_WorkGroupID",
    "gl_NumWorkGroups",
    "gl_GlobalInvocationID",
];

fn has(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| line.contains(word))
}

/// The name and value of a specialization constant that a line defines.
fn constant_in(line: &str) -> Option<(String, f64)> {
    let (before, after) = line.split_once('=').and_then(|(_, rest)| rest.split_once('='))?;
    let name = before.split_whitespace().last()?;
    let value = after.trim().trim_end_matches([';', 'u', 'U', 'f', 'F']).trim();
    Some((name.to_string(), value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inline_shaders::InlineShaders;
    use crate::ir::Reach;

    fn facts(files: &[(&str, &str)]) -> Facts {
        let mut texts = InlineShaders::default();
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
                "#pragma reads grid.x\n#pragma reach value 2 0\n#pragma reach x anywhere\n#pragma unordered x\n#pragma neighbours 2\n#pragma once\n#include \"b.glsl\"\n",
            ),
        ]);
        assert_eq!(facts.arguments["low"], Element::Ivec3);
        let reaches = |all, writes| Reaches { all, writes };
        assert_eq!(facts.reaches["value"], reaches(Reach::Cells(2), Reach::Cells(1)));
        assert_eq!(facts.reaches["x"], reaches(Reach::Anywhere, Reach::Anywhere));
        assert!(facts.unordered.contains("x") && facts.wrong.is_empty() && facts.is_text);
        assert_eq!((facts.workgroup, facts.neighbours), (Some([256, 1, 1]), Some(2)));
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
    fn accesses_of_other_elements_are_collected() {
        let facts = facts(&[(
            "k.comp",
            "#pragma writes grid.u\n#pragma writes grid.kind if grid.fill\n#pragma keeps grid_u grid_kind\n\
             #pragma offsets 5 1,0 0,-1\n#pragma offsets 3 0,0,2\n#pragma alternates grid_f last\n#pragma alternates grid_g\n",
        )]);
        assert!(facts.wrong.is_empty(), "{:?}", facts.wrong);
        assert_eq!(facts.writes_with["grid.kind"], "grid.fill");
        assert!(facts.writes.len() == 2 && facts.writes_with.len() == 1);
        assert_eq!(facts.keeps["grid_u"], "grid_kind");
        let of = |accessor: &str, entries| facts.alternation(accessor, entries);
        let found = of("grid_f", Some(5)).unwrap();
        assert_eq!(
            (found.pairs.offsets(), found.last),
            (&[[1, 0, 0], [0, -1, 0]][..], true)
        );
        let found = of("grid_g", Some(3)).unwrap();
        assert_eq!((found.pairs.offsets(), found.last), (&[[0, 0, 2]][..], false));
        for (accessor, entries) in [("grid_f", Some(7)), ("grid_f", None), ("grid_u", Some(5))] {
            assert_eq!(of(accessor, entries), None);
        }
    }

    #[test]
    fn unknown_pragmas_are_reported() {
        let facts = facts(&[(
            "k.comp",
            "#pragma argument half x\n#pragma reach u far\n#pragma tile 1\n#pragma workgroup 0\n#pragma vector_width 3\n#pragma reads\n#pragma reduces mean x\n#pragma optimize(on)\n\
             #pragma reach u 1 2\n#pragma offsets 5 1,0\n#pragma offsets 3 1\n#pragma offsets 3 1,0\n#pragma offsets 3 0,1\n\
             #pragma alternates\n#pragma keeps u\n#pragma writes grid.u if\n#pragma neighbours 0\n",
        )]);
        let causes: Vec<(usize, &str)> = facts
            .wrong
            .iter()
            .map(|(place, cause)| (place.range.start, &**cause))
            .collect();
        assert_eq!(causes.len(), 15, "{causes:?}");
        assert_eq!(causes[0], (0, "`half` is no type of arguments"));
        // The control: a missing kernel has no pragmas.
        let none = Kernels::new(Library::new(Path::new("/x"))).facts("k.comp", Path::new("/x"));
        assert!(none.wrong.is_empty() && none.arguments.is_empty() && !none.is_text);
    }
}
