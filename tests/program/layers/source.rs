//! The modules of a source tree: what each declares, imports and names.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A path as it is written.
pub type Path = Vec<String>;

/// One module, of a file or inside one.
#[derive(Default)]
pub struct Module {
    pub file: usize,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// Items that it defines.
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    /// Paths of several segments in its code.
    pub paths: BTreeSet<Path>,
    /// Names that its code uses as they are: types, functions that are called, first segments of paths.
    pub names: BTreeSet<String>,
}

/// One name that a `use` brings, or with none all of a module's.
pub struct Import {
    pub name: Option<String>,
    pub path: Path,
    /// It is for others too.
    pub is_public: bool,
}

#[derive(Default)]
pub struct Tree {
    pub files: Vec<String>,
    /// The first one is the root.
    pub modules: Vec<Module>,
}

impl Tree {
    /// Reads the tree that starts from `lib.rs` or `main.rs`. What is compiled for tests alone is left out: it may use
    /// anything.
    pub fn parse(sources: &BTreeMap<String, String>) -> Tree {
        let mut tree = Tree::default();
        let roots = ["lib.rs", "main.rs"];
        let root = roots.into_iter().find(|root| sources.contains_key(*root));
        tree.file(root.expect("a root"), "", None, sources);
        tree
    }

    fn file(
        &mut self,
        path: &str,
        directory: &str,
        parent: Option<usize>,
        sources: &BTreeMap<String, String>,
    ) -> usize {
        let text = sources.get(path).unwrap_or_else(|| panic!("{path} is missing"));
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        self.files.push(path.to_owned());
        let file = self.files.len() - 1;
        self.module(&parsed.items, file, directory, parent, sources)
    }

    fn module(
        &mut self,
        items: &[syn::Item],
        file: usize,
        directory: &str,
        parent: Option<usize>,
        sources: &BTreeMap<String, String>,
    ) -> usize {
        self.modules.push(Module {
            file,
            parent,
            ..Module::default()
        });
        let id = self.modules.len() - 1;
        for item in items.iter().filter(|item| !is_for_tests(item)) {
            if let syn::Item::Mod(module) = item {
                let name = module.ident.to_string();
                let child = match &module.content {
                    Some((_, items)) => {
                        let inner = format!("{directory}{name}/");
                        self.module(items, file, &inner, Some(id), sources)
                    }
                    None => self.file_of_module(&name, directory, id, sources),
                };
                self.modules[id].children.insert(name, child);
                continue;
            }
            if let syn::Item::Macro(item) = item
                && item.mac.path.is_ident(HIDDEN)
            {
                for name in listed(item.mac.tokens.clone()) {
                    let child = self.file_of_module(&name, directory, id, sources);
                    self.modules[id].children.insert(name, child);
                }
                continue;
            }
            let module = &mut self.modules[id];
            module.items.extend(name_of(item));
            match item {
                syn::Item::Use(item) => {
                    let is_public = !matches!(item.vis, syn::Visibility::Inherited);
                    imports(&item.tree, &mut Vec::new(), is_public, &mut module.imports);
                }
                item => Code(module).visit_item(item),
            }
        }
        id
    }

    fn file_of_module(
        &mut self,
        name: &str,
        directory: &str,
        parent: usize,
        sources: &BTreeMap<String, String>,
    ) -> usize {
        let [beside, inner] = [format!("{directory}{name}.rs"), format!("{directory}{name}/")];
        let path = if sources.contains_key(&beside) {
            beside
        } else {
            format!("{inner}mod.rs")
        };
        self.file(&path, &inner, Some(parent), sources)
    }
}

/// The macro that declares modules which only tests of the engine see.
const HIDDEN: &str = "inside";

/// The names that [`HIDDEN`] lists, in the text of a root.
pub fn hidden(root: &str) -> BTreeSet<String> {
    let parsed = syn::parse_file(root).expect("Rust");
    let lists = parsed.items.into_iter().filter_map(|item| match item {
        syn::Item::Macro(item) if item.mac.path.is_ident(HIDDEN) => Some(item.mac.tokens),
        _ => None,
    });
    lists.flat_map(listed).collect()
}

/// Names between commas; attributes are groups of tokens.
fn listed(tokens: TokenStream) -> Vec<String> {
    let names = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    });
    names.collect()
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(item: &syn::Item) -> bool {
    attributes(item).iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

fn name_of(item: &syn::Item) -> Option<String> {
    let ident = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn imports(tree: &syn::UseTree, before: &mut Path, is_public: bool, found: &mut Vec<Import>) {
    let mut add = |name: Option<String>, path: Path| {
        found.push(Import {
            name,
            path,
            is_public,
        })
    };
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            imports(&path.tree, before, is_public, found);
            before.pop();
        }
        syn::UseTree::Group(group) => {
            group
                .items
                .iter()
                .for_each(|tree| imports(tree, before, is_public, found));
        }
        syn::UseTree::Glob(_) => add(None, before.clone()),
        syn::UseTree::Name(name) if name.ident == "self" => add(before.last().cloned(), before.clone()),
        syn::UseTree::Name(name) => {
            let path = before.iter().cloned().chain([name.ident.to_string()]);
            add(Some(name.ident.to_string()), path.collect());
        }
        syn::UseTree::Rename(rename) => {
            let mut path = before.clone();
            if rename.ident != "self" {
                path.push(rename.ident.to_string());
            }
            add(Some(rename.rename.to_string()), path);
        }
    }
}

/// Collects what the code of a module names.
struct Code<'a>(&'a mut Module);

impl Code<'_> {
    fn path(&mut self, path: Path, is_called: bool) {
        let is_type = path[0].starts_with(char::is_uppercase);
        if path.len() > 1 || is_type || is_called {
            self.0.names.insert(path[0].clone());
        }
        if path.len() > 1 {
            self.0.paths.insert(path);
        }
    }

    /// What stands in a macro is tokens: paths are names with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_colon =
            |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => {
                    let mut path = vec![ident.to_string()];
                    while let (true, true, Some(TokenTree::Ident(next))) =
                        (is_colon(at + 1), is_colon(at + 2), tokens.get(at + 3))
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    let is_called = matches!(tokens.get(at + 1), Some(TokenTree::Group(group))
                        if group.delimiter() == Delimiter::Parenthesis);
                    self.path(path, is_called);
                }
                _ => {}
            }
            at += 1;
        }
    }
}

impl<'a> Visit<'a> for Code<'_> {
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.path(
            path.segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect(),
            false,
        );
        visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let syn::Expr::Path(function) = &*call.func {
            let segments = function.path.segments.iter();
            self.path(segments.map(|segment| segment.ident.to_string()).collect(), true);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, invocation: &'a syn::Macro) {
        self.tokens(invocation.tokens.clone());
        visit::visit_macro(self, invocation);
    }

    /// A `use` within a function.
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let mut found = Vec::new();
        imports(&item.tree, &mut Vec::new(), false, &mut found);
        self.0.imports.extend(found);
    }

    fn visit_item(&mut self, item: &'a syn::Item) {
        if !is_for_tests(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_visibility(&mut self, _: &'a syn::Visibility) {
        // `pub(in crate::a)` says who may use it, not what it uses.
    }
}
