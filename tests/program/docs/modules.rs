//! `docs/module-reference.md`: what the program prints about the modules that come with it.

use super::markdown::page;

/// Exit code and output of `sastrugi show NAME --markdown`.
fn show(name: &str) -> (Option<i32>, String) {
    let mut command = crate::start();
    let output = command
        .args(["show", name, "--markdown"])
        .env("NO_COLOR", "1")
        .output();
    let output = output.unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn module_reference_page_matches_program_output() {
    let (code, printed) = show("modules");
    assert_eq!(code, Some(0), "{printed}");
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        let path = std::path::Path::new(crate::ROOT).join("docs/module-reference.md");
        std::fs::write(path, printed).unwrap();
    } else {
        assert!(
            page("module-reference.md") == printed,
            "docs/module-reference.md is not what the program prints; with SASTRUGI_UPDATE=1 this test writes it anew"
        );
    }
}

#[test]
fn one_module_is_a_section_of_the_page() {
    for name in ["flow", "modules/flow", "modules/flow.json"] {
        let (code, section) = show(name);
        assert_eq!(code, Some(0), "{section}");
        assert!(
            section.starts_with("## flow\n\nIncompressible viscous flow.\n"),
            "{section}"
        );
        assert!(
            section.contains("| `viscosity` |") && section.contains("| `grid.heat` |"),
            "{section}"
        );
        assert!(page("module-reference.md").contains(&section), "{section}");
    }
}

#[test]
fn only_modules_have_a_reference() {
    for (name, message, help) in [
        ("flip_dam", "`flip_dam` is not a module", "`sastrugi list`"),
        (
            "flow/advect.comp",
            "`flow/advect.comp` is not a module",
            "`sastrugi list`",
        ),
        ("liquit", "no module called `liquit`", "did you mean `liquid`?"),
    ] {
        let (code, text) = show(name);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(message) && text.contains(help), "{text}");
    }
}
