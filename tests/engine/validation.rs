//! `docs/validation.md`: every measurement of the snow model, of the material point method and of flows, as tables.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use super::{common, physics};

const HEAD: &str = "\
# Validation

`SASTRUGI_UPDATE=1 cargo test --lib page_matches_the_measurements` writes this page. `tests/engine/snow_physics.rs`,
`matter_physics.rs` and `flow_physics.rs` check that every value keeps its bound, and that the checks detect errors. The
models are described in [snow.md](snow.md), [mpm.md](mpm.md) and [flows.md](flows.md). ε is 2^-23. Each row ends with the
number of the [reason](#reasons) for its bound.
";

const REASONS: &str = "## Reasons\n\n";

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

/// The tables of a list of measurements. A bound shows the number of its reason in `reasons`, so that the page states
/// each reason once.
fn tables(
    gpu: &sastrugi::gpu::Gpu,
    list: &[(&str, physics::Measurement)],
    reasons: &mut Vec<&'static str>,
) -> String {
    let mut text = String::new();
    for (title, measurement) in list {
        eprintln!("{title}");
        let head = "| measured | value | bound | reason |\n|---|---|---|---|";
        writeln!(text, "\n### {title}\n\n{head}").unwrap();
        for row in measurement(gpu) {
            let mark = if row.holds() { "" } else { " **broken**" };
            let [measured, bound] = [row.measured, row.bound].map(number);
            let known = reasons.iter().position(|reason| *reason == row.why);
            let reason = known.unwrap_or(reasons.len());
            if known.is_none() {
                reasons.push(row.why);
            }
            let (what, reason) = (cell(&row.what), reason + 1);
            writeln!(text, "| {what} | {measured} | {bound} | {reason}{mark} |").unwrap();
        }
    }
    text
}

/// The page that is there has every measurement; with SASTRUGI_UPDATE=1 it is measured and written anew.
#[test]
fn page_matches_the_measurements() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/validation.md");
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        let Some(gpu) = common::gpu() else { return };
        let mut reasons = Vec::new();
        let snow = tables(&gpu, physics::MEASUREMENTS, &mut reasons);
        let matter = tables(&gpu, physics::matter::MEASUREMENTS, &mut reasons);
        let flows = tables(&gpu, physics::flows::MEASUREMENTS, &mut reasons);
        let numbered = reasons.iter().enumerate();
        let listed: String = numbered
            .map(|(number, reason)| format!("{}. {reason}\n", number + 1))
            .collect();
        let page = format!(
            "{HEAD}\nDevice: {}.\n\n## The snow model\n{snow}\n## The material point method\n\n{}\n{matter}\n\
             ## Flows\n\n{}\n{flows}\n{REASONS}{listed}",
            gpu.report().name,
            physics::matter::ABOUT.trim_end(),
            physics::flows::ABOUT.trim_end(),
        );
        std::fs::write(&path, page).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    let has = |text: &str| page.contains(text.trim_end());
    let texts = [HEAD, physics::matter::ABOUT, physics::flows::ABOUT];
    assert!(texts.into_iter().all(has), "{}", path.display());
    let lists = [
        physics::MEASUREMENTS,
        physics::matter::MEASUREMENTS,
        physics::flows::MEASUREMENTS,
    ]
    .concat();
    for (title, _) in lists {
        assert!(page.contains(&format!("\n### {title}\n")), "{title} is missing");
    }
    assert!(!has("**broken**"), "{} marks what is broken", path.display());
    let (_, listed) = page.split_once(REASONS).unwrap();
    let reasons: Vec<&str> = listed
        .lines()
        .filter_map(|line| Some(line.split_once(". ")?.1))
        .collect();
    let unique: BTreeSet<&str> = reasons.iter().copied().collect();
    assert!(
        !reasons.is_empty() && unique.len() == reasons.len(),
        "a reason is listed twice"
    );
    assert!(!has("### A measurement that nobody made"), "control");
}
