use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::inline_shaders::InlineShaders;

fn checked(files: &[(&str, &str)]) -> Result<(), String> {
    let mut texts = InlineShaders::default();
    for (path, text) in files {
        texts.insert(path, text.as_bytes().to_vec()).unwrap();
    }
    let library = Library::new(Path::new("/nonexistent")).with_texts(&texts);
    let source = library.find(files[0].0, None).unwrap();
    let started = Instant::now();
    let result = check(&source, "void used() {}\n", &library);
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
    result
}

fn doubling(levels: usize) -> String {
    let mut text = "#version 460\n#define D0 x;\n".to_string();
    for level in 1..=levels {
        text += &format!("#define D{level} D{0} D{0}\n", level - 1);
    }
    text + &format!("void stage(uint i) {{ D{levels} }}\n")
}

#[test]
fn doubling_macros_are_refused_at_their_line() {
    checked(&[("k.comp", &doubling(10))]).unwrap();
    let error = checked(&[("k.comp", &doubling(40))]).unwrap_err();
    assert!(error.starts_with("in memory:k.comp:43: error:"), "{error}");
    assert!(error.contains("more than 1048576"), "{error}");
    // Through arguments, in conditions, and from another file.
    let nested = format!(
        "#define T(x) x + x\nfloat y = {}1.0{};\n",
        "T(".repeat(40),
        ")".repeat(40)
    );
    checked(&[("k.comp", &nested)]).unwrap_err();
    let condition = doubling(40).replace("void stage(uint i) { D40 }", "#if D40\n#endif");
    checked(&[("k.comp", &condition)]).unwrap_err();
    let other = doubling(40).replace("void stage(uint i) { D40 }", "");
    checked(&[
        ("k.comp", "#include \"m.glsl\"\nvoid f() { D40 }"),
        ("m.glsl", &other),
    ])
    .unwrap_err();
}

#[test]
fn recursive_and_deep_macros_end() {
    // A macro is not expanded inside of itself.
    checked(&[("k.comp", "#define A B B\n#define B A A\nA\n")]).unwrap();
    let chain: String = (0..2000).map(|i| format!("#define C{i} C{}\n", i + 1)).collect();
    let calls = format!("#define F(x) x\n{}", "F(".repeat(100_000));
    checked(&[("k.comp", &calls)]).unwrap_err();
    checked(&[("k.comp", &format!("{calls}{}", ")".repeat(100_000)))]).unwrap_err();
    let error = checked(&[("k.comp", &format!("{chain}C0\n"))]).unwrap_err();
    assert!(error.contains("macros nested more than 100 deep"), "{error}");
}

#[test]
fn operators_count_by_statement() {
    let sum = |terms: usize| vec!["a"; terms].join(" + ");
    let statements = |terms: usize, count: usize| format!("x = {};\n", sum(terms)).repeat(count);
    checked(&[("k.comp", &statements(1000, 100))]).unwrap();
    let error = checked(&[("k.comp", &statements(60_000, 1))]).unwrap_err();
    assert!(error.contains("operators, more than 50000"), "{error}");
    // The same through a macro, without an end between its uses.
    let short = format!("#define M {}\n", sum(1000));
    let of = |between: &str| checked(&[("k.comp", &format!("{short}x = {};", vec!["M"; 100].join(between)))]);
    of("; x = ").unwrap();
    of(" + ").unwrap_err();
}

#[test]
fn comments_continuations_and_wrong_texts_are_read() {
    for text in [
        "/*",
        "//",
        "#",
        "#define",
        "#define F(",
        "F(",
        "\\",
        "\\\n",
        "é\u{0}",
        "#define F(x) x\nF(F(",
        "/*\n*",
    ] {
        checked(&[("k.comp", text)]).unwrap();
    }
    let continued = doubling(40).replace("#define D1 D0", "#define D1 \\\n D0");
    let error = checked(&[("k.comp", &continued)]).unwrap_err();
    assert!(error.starts_with("in memory:k.comp:44:"), "{error}");
    checked(&[("k.comp", &format!("/*\n{}*/", doubling(40)))]).unwrap();
}

#[test]
fn includes_that_repeat_are_read_once() {
    checked(&[
        ("a.comp", "#include \"b.glsl\"\n#include \"b.glsl\"\n"),
        ("b.glsl", "#include \"a.comp\"\n# include <b.glsl>\nfloat x;\n"),
    ])
    .unwrap();
}
