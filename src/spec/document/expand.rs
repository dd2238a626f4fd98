//! From a file that is composed of modules, groups and changes to one that is not: only its text tree is rewritten, and
//! whatever looks at the file afterwards sees plain lists of entries.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Document;
use super::arguments::write_out;
use super::change::apply;
use super::groups::place_all;
use super::instance::{Use, instantiate};
use super::node::{Content, Node};
use super::prune::{Added, prune};
use super::text::Asked;
use crate::problem::{Place, Problem, Problems};
use crate::spec::schema;

/// Deepest nesting of modules.
const DEEPEST_MODULES: usize = 16;

/// Keys that compose a file.
const COMPOSING: [&str; 4] = ["use", "groups", "roles", "change"];

impl Document {
    /// The file with its modules, groups and changes expanded.
    pub(crate) fn expand(&self) -> Result<Document, Problems> {
        self.check_composition()?;
        let mut problems = Problems::default();
        let mut added = Added::default();
        let chain = &mut vec![self.identity.clone()];
        let mut flat = flatten(self.clone(), chain, &mut added, &mut problems);
        if let Some(Content::Object(roles)) = flat.root.get("roles").map(|node| &node.content)
            && let Some((name, place, _)) = roles.first()
        {
            let message =
                format!("the role `{name}` is open: this file is a module, which does not run by itself");
            let help = "run a pipeline with this module in \"use\", or replace the role by a resource";
            problems.push(Problem::at_place(place.clone(), message).help(help));
        }
        // What failed may have made what lists name.
        if problems.is_empty() {
            place_all(&mut flat.root, &mut problems);
            prune(&mut flat.root, added, &mut problems);
        }
        for key in COMPOSING {
            flat.root.take(key);
        }
        match problems.is_empty() {
            true => Ok(flat),
            false => Err(problems.located(&flat)),
        }
    }

    /// Checks the shape of what composes the file; the rest is checked when it is expanded.
    fn check_composition(&self) -> Result<(), Problems> {
        let whole = self.value();
        let mut value = json!({"time": {"dt": 1}, "step": []});
        let mut is_composed = false;
        for key in COMPOSING {
            if let Some(part) = whole.get(key) {
                value[key] = part.clone();
                is_composed = true;
            }
        }
        if is_composed { self.fits(&value) } else { Ok(()) }
    }

    /// Checks the shape of all that a module has.
    fn check_module(&self) -> Result<(), Problems> {
        let mut value = self.value();
        if let Value::Object(members) = &mut value {
            for (key, missing) in [("time", json!({"dt": 1})), ("step", json!([]))] {
                members.entry(key).or_insert(missing);
            }
        }
        self.fits(&value)
    }

    fn fits(&self, value: &Value) -> Result<(), Problems> {
        let problems = schema::check(value);
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.located(self)),
        }
    }
}

/// Puts the instances of modules into a file and applies its changes. Groups stay as they are. `chain` has the modules
/// round it.
fn flatten(
    mut file: Document,
    chain: &mut Vec<PathBuf>,
    added: &mut Added,
    problems: &mut Problems,
) -> Document {
    let uses = file.root.take("use");
    if let Some(Content::Object(uses)) = uses.map(|node| node.content) {
        for (name, key, node) in uses {
            if let Some(module) = module_of(&node, chain, problems) {
                instantiate(
                    &mut file.root,
                    module,
                    &Use {
                        name: &name,
                        key: &key,
                        node: &node,
                    },
                    added,
                    problems,
                );
            }
        }
    }
    // With the parameters of instances; what these bring is written out already, in the names of their modules.
    write_out(&mut file.root, problems);
    let changes = std::mem::take(&mut file.changes);
    for change in changes {
        apply(&mut file.root, change, problems);
    }
    file
}

/// Reads and flattens the module that a use names.
fn module_of(node: &Node, chain: &mut Vec<PathBuf>, problems: &mut Problems) -> Option<Document> {
    let written = node.get("module")?;
    let Content::Scalar(Value::String(path)) = &written.content else {
        return None;
    };
    let from = &written.place.source.directory;
    let read = Document::read_asked(&from.join(path), Asked::Module(&written.place, path));
    // What is wrong in the files of the module is told with the place where it is used.
    let in_files = |more: Problems| more.used_at(&written.place);
    let module = read.and_then(|module| module.check_module().map_err(in_files).map(|()| module));
    let module = match module {
        Ok(module) => module,
        Err(more) => {
            problems.list.extend(more.list);
            return None;
        }
    };
    if chain.contains(&module.identity) || chain.len() >= DEEPEST_MODULES {
        let message = match chain.contains(&module.identity) {
            true => format!("the module `{path}` uses itself through other modules"),
            false => format!("the chain of modules is longer than {DEEPEST_MODULES}"),
        };
        let help = "the last module of the chain must not use another one";
        problems.push(Problem::at_place(written.place.clone(), message).help(help));
        return None;
    }
    chain.push(module.identity.clone());
    let before = problems.list.len();
    // What a module gets from others, it brings itself.
    let mut added = Added::default();
    let flat = flatten(module, chain, &mut added, problems);
    problems
        .list
        .extend(added.unfilled.into_iter().map(|(_, problem)| problem));
    for problem in &mut problems.list[before..] {
        *problem = problem.clone().used_at(&written.place);
    }
    chain.pop();
    Some(flat)
}

impl Problems {
    /// The same problems, of something that is used at `place`.
    fn used_at(mut self, place: &Place) -> Problems {
        for problem in &mut self.list {
            *problem = problem.clone().used_at(place);
        }
        self
    }
}
