//! Who imports whom: among the modules of the root, and among files.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Import, Tree};

/// From one to another, with a path that says so.
pub type Edges = BTreeMap<(String, String), String>;

/// What a path leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// An item that this module defines.
    ItemOf(usize),
}

/// Longest chain of re-exports that is followed.
const MAX_CHAIN: usize = 16;

impl Tree {
    /// Imports between the modules of the root, by the paths that are written. Re-exports count.
    pub fn layers(&self) -> Edges {
        let mut edges = Edges::new();
        for (id, module) in self.modules.iter().enumerate() {
            let Some(from) = self.layer(id) else { continue };
            let mut add = |path: &[String]| {
                if let Some(to) = self.written_layer(id, path).filter(|to| *to != from) {
                    let named = format!("{} says {}", self.files[module.file], path.join("::"));
                    edges.entry((from.clone(), to)).or_insert(named);
                }
            };
            for Import { name, path, .. } in &module.imports {
                add(path);
                // What a glob of the root brings.
                if name.is_none() && self.resolve(id, path, MAX_CHAIN) == Some(Target::Module(0)) {
                    let of_root = |name: &String| [path.clone(), vec![name.clone()]].concat();
                    module.names.iter().for_each(|name| add(&of_root(name)));
                }
            }
            module.paths.iter().for_each(|path| add(path));
        }
        edges
    }

    /// Imports between files. A name counts as an import of the file that defines it, whatever re-exports lie between;
    /// so does a re-export itself, but only where the code of its file uses the name: a `mod.rs` that declares and
    /// re-exports its children depends on none of them, while one that works with them depends on each it works with.
    /// What methods and fields lead to is not seen.
    pub fn imports(&self) -> Edges {
        let mut edges = Edges::new();
        for (id, module) in self.modules.iter().enumerate() {
            let mut add = |target: Option<Target>, path: &[String]| {
                if let Some(Target::ItemOf(owner)) = target
                    && self.modules[owner].file != module.file
                {
                    let [from, to] =
                        [module.file, self.modules[owner].file].map(|file| self.files[file].clone());
                    edges.entry((from, to)).or_insert(path.join("::"));
                }
            };
            for Import {
                name,
                path,
                is_public,
            } in &module.imports
            {
                match name {
                    Some(name) if !is_public || module.names.contains(name) => {
                        add(self.resolve(id, path, MAX_CHAIN), path);
                    }
                    Some(_) => {}
                    None => {
                        let Some(Target::Module(all_of)) = self.resolve(id, path, MAX_CHAIN) else {
                            continue;
                        };
                        let is_own = |name: &String| {
                            let mut imports = module.imports.iter();
                            module.items.contains(name)
                                || imports.any(|import| import.name.as_ref() == Some(name))
                        };
                        for name in module.names.iter().filter(|name| !is_own(name)) {
                            if let Some(target) = self.member(all_of, name, MAX_CHAIN) {
                                add(Some(target), &[path.clone(), vec![name.clone()]].concat());
                            }
                        }
                    }
                }
            }
            for path in &module.paths {
                add(self.resolve(id, path, MAX_CHAIN), path);
            }
        }
        edges
    }

    /// The module of the root that a module belongs to.
    fn layer(&self, module: usize) -> Option<String> {
        let parent = self.modules[module].parent?;
        self.layer(parent).or_else(|| {
            let siblings = &self.modules[parent].children;
            siblings
                .iter()
                .find(|(_, child)| **child == module)
                .map(|(name, _)| name.clone())
        })
    }

    /// The module of the root that a path names, or whose item it names through the root.
    fn written_layer(&self, from: usize, path: &[String]) -> Option<String> {
        let mut module = match path[0].as_str() {
            "crate" => 0,
            "super" | "self" => from,
            // A name that an import has brought, or that of a crate.
            _ => return None,
        };
        let mut rest = path;
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "super" => module = self.modules[module].parent?,
                "self" | "crate" => {}
                _ => break,
            }
            rest = after;
        }
        match rest.first() {
            Some(first) if module == 0 && self.modules[0].children.contains_key(first) => Some(first.clone()),
            _ => match self.descend(module, rest, MAX_CHAIN)? {
                Target::Module(owner) | Target::ItemOf(owner) => self.layer(owner),
            },
        }
    }

    fn resolve(&self, from: usize, path: &[String], chain: usize) -> Option<Target> {
        match path.first()?.as_str() {
            "crate" => self.descend(0, &path[1..], chain),
            "self" => self.descend(from, &path[1..], chain),
            "super" => {
                let up = self.modules[from].parent?;
                match path.get(1).map(String::as_str) {
                    Some("super") => self.resolve(up, &path[1..], chain),
                    _ => self.descend(up, &path[1..], chain),
                }
            }
            // A name of this module; else that of a crate or of a local variable.
            first => match self.member(from, first, chain)? {
                Target::Module(module) => self.descend(module, &path[1..], chain),
                item => Some(item),
            },
        }
    }

    fn descend(&self, module: usize, path: &[String], chain: usize) -> Option<Target> {
        let Some((first, rest)) = path.split_first() else {
            return Some(Target::Module(module));
        };
        let is_on_the_way = !rest.is_empty();
        if is_on_the_way && let Some(child) = self.modules[module].children.get(first) {
            return self.descend(*child, rest, chain);
        }
        match self.member(module, first, chain) {
            Some(Target::Module(inner)) => self.descend(inner, rest, chain),
            Some(item) => Some(item),
            // What a macro defines is found nowhere: it is an item of where it was looked for.
            None => Some(Target::ItemOf(module)),
        }
    }

    /// What a name means in a module.
    fn member(&self, id: usize, name: &str, chain: usize) -> Option<Target> {
        let module = &self.modules[id];
        if module.items.contains(name) {
            return Some(Target::ItemOf(id));
        }
        if let Some(child) = module.children.get(name) {
            return Some(Target::Module(*child));
        }
        let chain = chain.checked_sub(1)?;
        let named = module
            .imports
            .iter()
            .filter(|import| import.name.as_deref() == Some(name));
        let mut named = named.filter(|import| import.path[0] != name);
        if let Some(target) = named.find_map(|import| self.resolve(id, &import.path, chain)) {
            return Some(target);
        }
        let mut globs = module.imports.iter().filter(|import| import.name.is_none());
        globs.find_map(|import| match self.resolve(id, &import.path, chain)? {
            Target::Module(all_of) if all_of != id => self.member(all_of, name, chain),
            _ => None,
        })
    }
}

/// Groups of nodes that lead to each other, of two at least (Tarjan 1972, "Depth-first search and linear graph
/// algorithms").
pub fn circles(edges: &Edges) -> Vec<BTreeSet<String>> {
    let mut search = Search::default();
    for (from, to) in edges.keys() {
        search.next.entry(from).or_default().push(to);
    }
    let nodes: Vec<&str> = search.next.keys().copied().collect();
    for node in nodes {
        if !search.found.contains_key(node) {
            search.visit(node);
        }
    }
    search.circles
}

#[derive(Default)]
struct Search<'a> {
    next: BTreeMap<&'a str, Vec<&'a str>>,
    /// When a node was found, and the earliest one on the stack that it leads to.
    found: BTreeMap<&'a str, (usize, usize)>,
    stack: Vec<&'a str>,
    circles: Vec<BTreeSet<String>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, node: &'a str) -> usize {
        let number = self.found.len();
        self.found.insert(node, (number, number));
        self.stack.push(node);
        let mut earliest = number;
        for to in self.next.get(node).cloned().unwrap_or_default() {
            match self.found.get(to) {
                None => earliest = earliest.min(self.visit(to)),
                Some((other, _)) if self.stack.contains(&to) => earliest = earliest.min(*other),
                Some(_) => {}
            }
        }
        self.found.insert(node, (number, earliest));
        if earliest == number {
            let mut circle = BTreeSet::new();
            while let Some(member) = self.stack.pop() {
                circle.insert(member.to_owned());
                if member == node {
                    break;
                }
            }
            if circle.len() > 1 {
                self.circles.push(circle);
            }
        }
        earliest
    }
}
