//! `docs/glossary.md`: its terms are keys or identifiers, and no identifier or key contains a word that it replaces.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};
use proc_macro2::{TokenStream, TokenTree};

const PAGE: &str = "docs/glossary.md";
const SCHEMA: &str = "schema/pipeline.schema.json";
/// The heading of the table of words that are not used.
const BANNED: &str = "## Words that are not used\n";
const SOURCES: [&str; 4] = ["src", "crates", "benches", "examples"];
const DOCUMENTS: [&str; 2] = ["pipelines", "schema"];

/// A word that identifiers and keys must not contain, and its replacement.
struct Banned {
    word: String,
    replacement: String,
}

/// A name in a text, with its line, counted from 1.
type Name = (usize, String);

fn read(path: &str) -> String {
    let whole = Path::new(crate::ROOT).join(path);
    fs::read_to_string(&whole).unwrap_or_else(|error| panic!("{}: {error}", whole.display()))
}

/// Files with an extension in a directory and below, without build directories, in the order of their paths.
fn files(directory: &Path, extension: &str, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("target") {
            files(&path, extension, into);
        } else if path.extension().is_some_and(|found| found == extension) {
            into.push(path);
        }
    }
}

/// The files of some directories of the project, each with its path from the root and its text.
fn texts(directories: &[&str], extension: &str) -> Vec<(String, String)> {
    let root = Path::new(crate::ROOT);
    let mut paths = Vec::new();
    for directory in directories {
        files(&root.join(directory), extension, &mut paths);
    }
    assert!(
        !paths.is_empty(),
        "no .{extension} files in {directories:?} of {}",
        root.display()
    );
    let text = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        (name, fs::read_to_string(path).unwrap())
    };
    paths.into_iter().map(text).collect()
}

/// The rows of the tables of a Markdown text: the cells of each, without headings and rules.
fn rows(markdown: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = markdown.lines().collect();
    let mut rows = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let is_rule = |line: &str| line.starts_with("|--");
        let is_heading = lines.get(number + 1).is_some_and(|next| is_rule(next));
        if line.starts_with('|') && !is_rule(line) && !is_heading {
            rows.push(line.trim_matches('|').split('|').map(str::trim).collect());
        }
    }
    rows
}

/// The texts between pairs of backticks.
fn terms(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The words of the table of words that are not used.
fn banned(page: &str) -> Vec<Banned> {
    let (_, section) = page
        .split_once(BANNED)
        .expect("a section of words that are not used");
    let row = |cells: Vec<&str>| Banned {
        word: terms(cells[0]).next().expect("a word in backticks").to_string(),
        replacement: cells[1].to_string(),
    };
    rows(section).into_iter().map(row).collect()
}

/// The identifiers of a Rust text outside comments and literals.
fn identifiers(rust: &str) -> Vec<Name> {
    fn collect(tokens: TokenStream, found: &mut Vec<Name>) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => collect(group.stream(), found),
                TokenTree::Ident(name) => found.push((name.span().start().line, name.to_string())),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(rust.parse().unwrap(), &mut found);
    found
}

/// The strings of a JSON text outside comments, and true for each that is a key.
fn strings(json: &str) -> Vec<(Name, bool)> {
    let mut scanner = Scanner::new(json, &ScannerOptions::default());
    let mut found: Vec<(Name, bool)> = Vec::new();
    let mut is_string = false;
    while let Some(token) = scanner.scan().unwrap() {
        match token {
            Token::CommentLine(_) | Token::CommentBlock(_) => continue,
            Token::String(ref text) => {
                let line = 1 + json[..scanner.token_start()].matches('\n').count();
                found.push(((line, text.to_string()), false));
            }
            Token::Colon if is_string => found.last_mut().unwrap().1 = true,
            _ => {}
        }
        is_string = matches!(token, Token::String(_));
    }
    found
}

fn keys(json: &str) -> Vec<Name> {
    let keys = strings(json).into_iter().filter(|(_, is_key)| *is_key);
    keys.map(|(name, _)| name).collect()
}

/// The parts of a name, in lower case, between underscores of its ends: `_max_node_count_` of `MaxNode_count`.
fn parts(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut parts = String::from("_");
    for (number, letter) in letters.iter().enumerate() {
        let after_lower = number > 0 && letters[number - 1].is_ascii_lowercase();
        let before_lower = letters.get(number + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && (after_lower || before_lower) && !parts.ends_with('_') {
            parts.push('_');
        }
        parts.push(match letter {
            '.' | '-' => '_',
            letter => letter.to_ascii_lowercase(),
        });
    }
    parts + "_"
}

/// True if a name with these parts contains the word as a part. Words in capitals are looked for in constants only.
fn contains(name: &str, parts: &str, word: &str) -> bool {
    let is_constant = |text: &str| !text.chars().any(|c| c.is_ascii_lowercase());
    parts.contains(&format!("_{}_", word.to_lowercase())) && (is_constant(name) || !is_constant(word))
}

/// One line for every name that contains a banned word: file, line, name, word and replacement.
fn check(file: &str, names: &[Name], banned: &[Banned]) -> Vec<String> {
    let mut found = Vec::new();
    for (line, name) in names {
        let parts = parts(name);
        let banned = banned
            .iter()
            .filter(|banned| contains(name, &parts, &banned.word));
        for Banned { word, replacement } in banned {
            found.push(format!(
                "{file}:{line}: `{name}` contains `{word}`: write {replacement}"
            ));
        }
    }
    found
}

#[test]
fn glossary_terms_are_keys_or_identifiers() {
    let page = read(PAGE);
    let (tables, _) = page
        .split_once(BANNED)
        .expect("a section of words that are not used");
    let keys = strings(&read(SCHEMA));
    let mut known: BTreeSet<String> = keys.into_iter().map(|((_, text), _)| text).collect();
    for (_, text) in texts(&SOURCES[..2], "rs") {
        known.extend(identifiers(&text).into_iter().map(|(_, name)| name));
    }
    let mut checked = 0;
    for cells in rows(tables) {
        for term in cells.iter().flat_map(|cell| terms(cell)) {
            let name = match term.strip_prefix("--") {
                Some(option) => option.replace('-', "_"),
                None => term.trim_end_matches("()").to_string(),
            };
            // Texts such as `arg.<name>` and `stage.glsl` are neither keys nor identifiers.
            if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                checked += 1;
                assert!(
                    known.contains(&name),
                    "{PAGE}: `{term}` is neither a key nor an identifier"
                );
            }
        }
    }
    assert!(checked >= 20, "only {checked} terms of {PAGE} are checked");
}

#[test]
fn replaced_words_are_absent() {
    let banned = banned(&read(PAGE));
    assert!(banned.len() >= 12, "{PAGE} has {} words", banned.len());
    let mut found = Vec::new();
    for (file, text) in texts(&SOURCES, "rs") {
        found.extend(check(&file, &identifiers(&text), &banned));
    }
    for (file, text) in texts(&DOCUMENTS, "json") {
        found.extend(check(&file, &keys(&text), &banned));
    }
    assert!(found.is_empty(), "see {PAGE}:\n{}", found.join("\n"));
}

#[test]
fn planted_words_are_found() {
    let page = format!(
        "{BANNED}\n| instead of | write |\n|---|---|\n| `MOST` | `MAX` |\n| `on_back` | `active_prev` |\n"
    );
    let banned = banned(&page);
    let rust = r##"// on_back
/* on_back /* on_back */ on_back */ fn most<'a>(on_backs: &'a str) { let on_back_2 = '"'; }
const MOST_RUNS: &str = "on_back
on_back";
const TEXT: &str = r#"on_back " on_back"#; struct OnBack(char);
"##;
    assert_eq!(
        check("planted.rs", &identifiers(rust), &banned),
        [
            "planted.rs:2: `on_back_2` contains `on_back`: write `active_prev`",
            "planted.rs:3: `MOST_RUNS` contains `MOST`: write `MAX`",
            "planted.rs:5: `OnBack` contains `on_back`: write `active_prev`",
        ]
    );
    let json = "{\n// \"on_back\": 1\n\"most\": \"on_back\",\n  \"is_on_back\" : 2}";
    assert_eq!(
        check("planted.json", &keys(json), &banned),
        ["planted.json:4: `is_on_back` contains `on_back`: write `active_prev`"]
    );
}
