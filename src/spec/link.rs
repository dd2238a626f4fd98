//! Replaces the paths of modules by their contents.

use std::path::PathBuf;
use std::sync::Arc;

use super::document::{Asked, Document, MAX_CHAIN, read};
use super::node::{Content, Node};
use crate::problem::{Place, Problem, Problems};

/// Maximum number of values of a file with its modules, and of its instances of modules.
const MAX_LINKED: usize = 1_000_000;
const MAX_INSTANCES: usize = 2000;

/// A document in which the contents of modules replace their paths, and the mistakes in all texts.
pub fn linked(document: &Document) -> (Document, Problems) {
    let mut linked = document.clone();
    let mut problems = std::mem::take(&mut linked.problems);
    let mut linker = Linker {
        chain: vec![document.identity.clone()],
        values: 0,
        instances: 0,
        has_ended: false,
        problems: &mut problems,
    };
    linker.link(&mut linked.root);
    (linked, problems)
}

/// Replaces the paths of modules by their contents.
struct Linker<'p> {
    /// The files that contain the one being linked.
    chain: Vec<PathBuf>,
    values: usize,
    instances: usize,
    /// A bound is exceeded: modules that each use others twice would exceed it as often again at every level.
    has_ended: bool,
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
            if written.text().is_none() && !matches!(written.content, Content::Object(_)) {
                continue;
            }
            let module = self.module(written, key);
            let Some((mut module, identity)) = module else {
                if let Some(module) = entry.at_mut(&["module"]) {
                    module.content = Content::Broken;
                }
                continue;
            };
            if let Some(patch) = entry.take("stages") {
                let empty = Content::Object(Vec::new());
                let mut patched = module.take("stages").unwrap_or(Node {
                    place: patch.place.clone(),
                    content: empty,
                });
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

    /// The module at `key`, which is a path, or an object in the file itself.
    fn module(&mut self, written: &Node, key: &Place) -> Option<(Node, PathBuf)> {
        if self.has_ended {
            return None;
        }
        let (place, from) = (&written.place, &written.place.source.directory);
        let path = written.text();
        let read = match path {
            Some(path) => read(&from.join(path), &mut Vec::new(), Asked::Module(place, path)),
            None => Document {
                root: written.clone(),
                directory: from.clone(),
                identity: PathBuf::from(place.text()),
                problems: Problems::default(),
            }
            .with_bases(&mut Vec::new()),
        };
        let used = |problem: Problem| match path {
            Some(_) => problem.used_at(place),
            None => problem,
        };
        let read = read.map_err(|problems| self.problems.list.extend(problems.list.into_iter().map(used)));
        let mut module = read.ok()?;
        self.problems
            .list
            .extend(module.problems.list.drain(..).map(used));
        self.values += count(&module.root);
        self.instances += 1;
        self.has_ended =
            self.chain.len() > MAX_CHAIN || self.instances > MAX_INSTANCES || self.values > MAX_LINKED;
        let message = if self.chain.contains(&module.identity) {
            "a module uses itself, directly or indirectly".to_string()
        } else if self.chain.len() > MAX_CHAIN {
            format!("modules are nested more than {MAX_CHAIN} deep")
        } else if self.instances > MAX_INSTANCES {
            format!(
                "the file has more than {MAX_INSTANCES} instances of modules, with those inside of others"
            )
        } else if self.values > MAX_LINKED {
            format!("the modules have more than {MAX_LINKED} values together")
        } else {
            if path.is_some() {
                module.root.use_at(&Arc::new(key.clone()));
            }
            return Some((module.root, module.identity));
        };
        self.problems.push(Problem::at(
            place,
            message,
            "use fewer instances, or remove a cycle",
        ));
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
