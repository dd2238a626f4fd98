//! `docs/validation.md`: every measurement of the snow model and of the material point method, as tables.

use std::fmt::Write;
use std::path::Path;

use super::{common, physics};

const HEAD: &str = "\
# Validation

Written by `SASTRUGI_UPDATE=1 cargo test --lib every_measurement_is_on_the_page`; `tests/engine/snow_physics.rs` and
`tests/engine/matter_physics.rs` assert the same rows, and that the checks object to what is wrong. The models
are in [snow.md](snow.md) and [mpm.md](mpm.md); ε is 2^-23.
";

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Whole numbers as they are, others with three digits.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e7 {
        format!("{value}")
    } else {
        format!("{value:.2e}")
    }
}

/// The tables of a list of measurements.
fn tables(gpu: &sastrugi::gpu::Gpu, list: &[(&str, physics::Measurement)]) -> String {
    let mut text = String::new();
    for (title, measurement) in list {
        eprintln!("{title}");
        let head = "| measured | value | bound | why this bound |\n|---|---|---|---|";
        writeln!(text, "\n### {title}\n\n{head}").unwrap();
        for row in measurement(gpu) {
            let mark = if row.holds() { "" } else { " **broken**" };
            let [measured, bound] = [row.measured, row.bound].map(number);
            let [what, why] = [&row.what, row.why].map(cell);
            writeln!(text, "| {what} | {measured} | {bound} | {why}{mark} |").unwrap();
        }
    }
    text
}

/// The page that is there has every measurement; with SASTRUGI_UPDATE=1 it is measured and written anew.
#[test]
fn every_measurement_is_on_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/validation.md");
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        let Some(gpu) = common::gpu() else { return };
        let page = format!(
            "{HEAD}\nDevice: {}.\n\n## The snow model\n{}\n## The material point method\n\n{}\n{}",
            gpu.report().name,
            tables(&gpu, physics::MEASUREMENTS),
            physics::matter::ABOUT.trim_end(),
            tables(&gpu, physics::matter::MEASUREMENTS)
        );
        std::fs::write(&path, page).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    let has = |text: &str| page.contains(text.trim_end());
    assert!(has(HEAD) && has(physics::matter::ABOUT), "{}", path.display());
    let lists = [physics::MEASUREMENTS, physics::matter::MEASUREMENTS].concat();
    for (title, _) in lists {
        assert!(page.contains(&format!("\n### {title}\n")), "{title} is missing");
    }
    assert!(!has("**broken**"), "{} marks what is broken", path.display());
    assert!(!has("### A measurement that nobody made"), "control");
}
