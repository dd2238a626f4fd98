//! `docs/validation.md`: every measurement of the snow model, of the material point method and of flows, as tables.

use std::fmt::Write;

use super::{common, physics};
use physics::page::{self, Page};

const HEAD: &str = "\
# Validation

`SASTRUGI_UPDATE=1 cargo test --test engine page_has_every` writes this page. `tests/engine/snow_physics.rs`,
`matter_physics.rs` and `flow_physics.rs` check that every value keeps its bound and is the one on this page. The models
are described in [snow.md](snow.md), [mpm.md](mpm.md) and [flows.md](flows.md). ε is 2^-23. Each row ends with the number
of the [reason](#reasons) for its bound.
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

/// With SASTRUGI_UPDATE=1, measures everything and writes the page.
#[test]
fn page_has_every_measurement_within_its_bound() {
    let lists = [
        physics::MEASUREMENTS,
        physics::matter::MEASUREMENTS,
        physics::flows::MEASUREMENTS,
    ];
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        let Some(gpu) = common::gpu() else { return };
        let mut reasons = Vec::new();
        let [snow, matter, flows] = lists.map(|list| tables(&gpu, list, &mut reasons));
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
        std::fs::write(page::PATH, page).unwrap();
    }
    let page = Page::read();
    let titles: Vec<&str> = lists.concat().iter().map(|(title, _)| *title).collect();
    let tables: Vec<&str> = page.tables.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(tables, titles);
    for (title, rows) in &page.tables {
        assert!(!rows.is_empty(), "{title} is empty");
        for row in rows {
            assert!(row.measured <= row.bound, "{title}: {row:?}");
        }
    }
}
