//! The layers of `src`: who may use whom, and that no files import each other in a circle; and that the packages above the
//! library use its public names alone. Looks at the sources alone.

mod graph;
mod source;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use graph::circles;
use source::{Tree, hidden};
use table::{LAYERS, Layer};

/// Where files import each other all the same: how the paths of all files of the circle begin, and why they may.
const ALLOWED_CIRCLES: &[(&str, &str)] = &[];

/// All sources below a directory, by their paths in it.
fn sources(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path
                    .strip_prefix(directory)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn tree() -> Tree {
    Tree::parse(&sources(&Path::new(crate::ROOT).join("src")))
}

/// The packages above the library.
const CLIENTS: &[&str] = &["program", "window", "python"];

/// What a client uses of the modules that only tests of the engine see, and how it gets at them.
fn inside_uses(manifest: &str, tree: &Tree, hidden: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    if manifest.contains("internals") {
        wrong.push("Cargo.toml names the feature `internals`".to_string());
    }
    for module in &tree.modules {
        let imports = module.imports.iter().map(|import| &import.path);
        for path in imports.chain(&module.paths) {
            if let [root, name, ..] = &path[..]
                && root == "sastrugi"
                && hidden.contains(name)
            {
                wrong.push(format!("{} says {}", tree.files[module.file], path.join("::")));
            }
        }
    }
    wrong
}

#[test]
fn clients_use_public_names_alone() {
    let root = Path::new(crate::ROOT);
    let hidden = hidden(&fs::read_to_string(root.join("src/lib.rs")).unwrap());
    assert!(hidden.contains("gpu") && hidden.contains("spec"), "{hidden:?}");
    for client in CLIENTS {
        let directory = root.join("crates").join(client);
        let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap();
        let tree = Tree::parse(&sources(&directory.join("src")));
        let wrong = inside_uses(&manifest, &tree, &hidden);
        assert!(wrong.is_empty(), "{client}: {}", wrong.join("\n"));
        // Control: it does use the library.
        let all = hidden.iter().cloned().chain(["Pipeline".to_string()]).collect();
        assert!(!inside_uses(&manifest, &tree, &all).is_empty(), "{client}");
    }
}

#[test]
fn control_an_inside_use_of_a_client_is_found() {
    let hidden = hidden("inside! { api, #[allow(unsafe_code, reason = \"a gpu\")] gpu, }");
    assert_eq!(hidden.len(), 2);
    let check = |manifest: &str, text: &str| {
        inside_uses(
            manifest,
            &made_up(&[("main.rs", "mod a;"), ("a.rs", text)]),
            &hidden,
        )
    };
    assert!(check("", "use sastrugi::{Device, Run}; fn f() { sastrugi::format(); }").is_empty());
    for text in [
        "use sastrugi::gpu::Gpu;",
        "use sastrugi::{Run, gpu};",
        "fn f(gpu: &sastrugi::gpu::Gpu) {}",
        "fn f() { println!(\"{}\", sastrugi::api::number()); }",
        "fn f() { use sastrugi::gpu as inner; }",
    ] {
        let wrong = check("", text);
        assert!(
            matches!(&wrong[..], [one] if one.starts_with("a.rs says sastrugi::")),
            "{text}: {wrong:?}"
        );
    }
    assert_eq!(check("features = [\"internals\"]", "").len(), 1);
}

/// A tree that is made up: a root that declares the modules of the files beside it, and files.
fn made_up(files: &[(&str, &str)]) -> Tree {
    Tree::parse(
        &files
            .iter()
            .map(|(path, text)| (path.to_string(), text.to_string()))
            .collect(),
    )
}

/// What is wrong with the imports between the modules of the root.
fn misplaced(tree: &Tree, layers: &[Layer]) -> Vec<String> {
    let place = |name: &str| layers.iter().position(|(known, ..)| *known == name);
    let mut wrong = Vec::new();
    for module in tree.modules[0].children.keys() {
        if place(module).is_none() {
            wrong.push(format!("`{module}` has no place among the layers"));
        }
    }
    let edges = tree.layers();
    for (number, (name, uses, _)) in layers.iter().enumerate() {
        if !tree.modules[0].children.contains_key(*name) {
            wrong.push(format!("`{name}` is a layer and no module"));
        }
        for used in *uses {
            if place(used).is_none_or(|place| place >= number) {
                wrong.push(format!(
                    "`{name}` may use `{used}`, which does not stand above it"
                ));
            }
            if !edges.contains_key(&(name.to_string(), used.to_string())) {
                wrong.push(format!("`{name}` may use `{used}`, and does not"));
            }
        }
    }
    for ((from, to), says) in &edges {
        let layer = layers.iter().find(|(name, ..)| name == from);
        if layer.is_some_and(|(_, uses, _)| !uses.contains(&to.as_str())) {
            wrong.push(format!("`{from}` may not use `{to}`: {says}"));
        }
    }
    wrong
}

#[test]
fn modules_import_only_lower_layers_and_files_have_no_import_cycles() {
    let tree = tree();
    let wrong = misplaced(&tree, LAYERS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let edges = tree.imports();
    // All files of such a tree hang together: a reader that lost the paths would find no circle either.
    assert!(
        edges.len() > tree.files.len(),
        "{} imports are too few",
        edges.len()
    );
    let mut known = BTreeSet::new();
    let mut wrong = Vec::new();
    for circle in circles(&edges) {
        let allowed = ALLOWED_CIRCLES
            .iter()
            .position(|(start, _)| circle.iter().all(|file| file.starts_with(start)));
        if allowed.is_none() {
            wrong.push(format!("a circle of {} files:", circle.len()));
            for ((from, to), path) in &edges {
                if circle.contains(from) && circle.contains(to) {
                    wrong.push(format!("  {from} -> {to} ({path})"));
                }
            }
        }
        known.extend(allowed);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (used, listed) = (known.len(), ALLOWED_CIRCLES.len());
    assert_eq!(
        used, listed,
        "a circle that is allowed is gone: take it off the list"
    );
}

#[test]
fn control_upward_import_is_detected() {
    let layers: &[Layer] = &[("low", &[], ""), ("high", &["low"], "")];
    let check = |low: &str, high: &str| {
        let root = ("lib.rs", "mod low; mod high; pub use high::Thing;");
        misplaced(&made_up(&[root, ("low.rs", low), ("high.rs", high)]), layers)
    };
    let high = "use crate::low::Word; pub struct Thing(Word);";
    assert_eq!(check("pub struct Word;", high), Vec::<String>::new());
    for low in [
        "use crate::high::Thing; pub struct Word(Thing);",
        "pub struct Word(super::high::Thing);",
        "pub struct Word; fn f() { println!(\"{}\", crate::high::number()); }",
        "pub struct Word; fn f() { use crate::high; }",
        "pub use crate::high as up; pub struct Word;",
        "mod inner { use super::super::high::Thing; } pub struct Word;",
        "pub struct Word; macro_rules! m { () => { $crate::high::number() } }",
        // Through the root.
        "pub struct Word(crate::Thing);",
        "use super::*; pub struct Word(Thing);",
    ] {
        let wrong = check(low, high);
        assert!(
            matches!(&wrong[..], [one] if one.starts_with("`low` may not use `high`: low.rs says")),
            "{low}: {wrong:?}"
        );
    }
    // What only tests use is free.
    assert!(
        check(
            "pub struct Word; #[cfg(test)] mod tests { use crate::high::Thing; }",
            high
        )
        .is_empty()
    );
    // The table itself is looked at too.
    assert_eq!(
        check("pub struct Word;", "pub struct Thing;"),
        ["`high` may use `low`, and does not"]
    );
    let upside_down: &[Layer] = &[("high", &["low"], ""), ("low", &[], "")];
    let tree = made_up(&[
        ("lib.rs", "mod low; mod high;"),
        ("low.rs", "pub struct Word;"),
        ("high.rs", high),
    ]);
    assert_eq!(
        misplaced(&tree, upside_down),
        ["`high` may use `low`, which does not stand above it"]
    );
    assert_eq!(misplaced(&tree, &[]).len(), 2);
}

#[test]
fn control_file_cycles_are_detected() {
    let found = |files: &[(&str, &str)]| circles(&made_up(files).imports());
    let of = |files: &[&str]| {
        vec![
            files
                .iter()
                .map(|file| file.to_string())
                .collect::<BTreeSet<String>>(),
        ]
    };
    let root = ("lib.rs", "mod a;");
    // Two children of a module that only passes their names on.
    let passes_on = ("a/mod.rs", "mod b; mod c; pub use b::B; pub use c::C;");
    assert_eq!(
        found(&[
            root,
            passes_on,
            ("a/b.rs", "use super::C; pub struct B(C);"),
            ("a/c.rs", "use super::B; pub struct C(B);")
        ]),
        of(&["a/b.rs", "a/c.rs"])
    );
    assert!(
        found(&[
            root,
            passes_on,
            ("a/b.rs", "use super::C; pub struct B(C);"),
            ("a/c.rs", "pub struct C;")
        ])
        .is_empty()
    );
    // A child that uses its parent, which uses the child: by an import, by a name that it passes on too, by a path.
    let child = ("a/b.rs", "use super::A; pub struct B(A);");
    for parent in [
        "mod b; use b::B; pub struct A(Option<Box<B>>);",
        "mod b; pub use b::B; pub struct A(Option<Box<B>>);",
        "mod b; pub struct A; fn f() { b::g(); }",
        "mod b; pub struct A; fn f() { assert!(b::g()); }",
    ] {
        assert_eq!(
            found(&[root, ("a/mod.rs", parent), child]),
            of(&["a/b.rs", "a/mod.rs"]),
            "{parent}"
        );
    }
    assert!(found(&[root, ("a/mod.rs", "mod b; pub use b::B; pub struct A;"), child]).is_empty());
    // Three in a row, one of them by a glob.
    let three = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B; pub struct A(B);"),
        ("b.rs", "use crate::c::*; pub struct B(C);"),
        ("c.rs", "pub struct C(Vec<super::a::A>);"),
    ];
    assert_eq!(found(&three), of(&["a.rs", "b.rs", "c.rs"]));
    assert!(
        found(
            &three[..1]
                .iter()
                .chain(&[("a.rs", ""), three[2], three[3]])
                .copied()
                .collect::<Vec<_>>()
        )
        .is_empty()
    );
}
