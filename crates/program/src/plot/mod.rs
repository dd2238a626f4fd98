//! `sastrugi plot`: draws the series of runs as SVG.

mod chart;
mod runs;
mod swept;
mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sastrugi::Problem;

use self::chart::{Chart, Curve, Panel};
use self::runs::Run;
use self::table::Table;
use crate::svg;

/// Maximum number of curves in a panel; more could not be distinguished.
const MAX_CURVES: usize = 64;

/// Draws the series of runs as SVG: a picture per series, a panel per column, a curve per run.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi plot out/snow                        writes out/snow/totals.svg and so on, one per series
  sastrugi plot out/sweep                       all runs of a sweep in one picture, with what was varied as the legend
  sastrugi plot out/sweep --x wind.speed        final values of the runs against a swept parameter
  sastrugi plot out/a out/b --out compare       two runs together, into the directory compare
  sastrugi plot out/snow_avalanche/totals.csv --columns snow,landed --out landed.svg

Values that are not finite leave gaps, and with --log those that are not positive.")]
pub(super) struct Arguments {
    /// Directories of runs or sweeps, or files of series.
    #[arg(required = true, value_name = "DIR")]
    from: Vec<PathBuf>,
    /// An SVG file, or a directory for a file per series. By default DIR, or this directory if there are several DIRs.
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// Draws only these columns.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    columns: Vec<String>,
    /// The horizontal axis: time in seconds, steps, or a parameter that a sweep varied, against which the final values
    /// of its runs are drawn.
    #[arg(long, value_name = "time|step|PARAMETER", default_value = "time")]
    x: String,
    /// Logarithmic vertical axes.
    #[arg(long)]
    log: bool,
    /// Draws all columns in one panel.
    #[arg(long)]
    together: bool,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    let pictures = match pictures(arguments).and_then(check_targets) {
        Ok(pictures) => pictures,
        Err(problem) => {
            super::complain(&problem.into());
            return 2;
        }
    };
    match write(&pictures) {
        Ok(()) => {
            let lines = pictures
                .iter()
                .map(|(path, _)| format!("wrote {}\n", path.display()));
            super::print(&lines.collect::<String>())
        }
        Err(error) => {
            crate::say!("error: {error}");
            1
        }
    }
}

/// Refuses to replace files that are no plots.
fn check_targets(pictures: Vec<(PathBuf, String)>) -> Result<Vec<(PathBuf, String)>, Problem> {
    let help = "name another file or directory with --out, or remove this file";
    for (path, _) in &pictures {
        svg::check_target(path, "sastrugi plot", help)?;
    }
    Ok(pictures)
}

fn write(pictures: &[(PathBuf, String)]) -> Result<(), String> {
    for (path, svg) in pictures {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)
                .map_err(|error| format!("cannot create {}: {error}", parent.display()))?;
        }
        sastrugi::write_file(path, svg.as_bytes()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The pipeline's title, from the manifest of a run.
fn title(directory: &Path) -> Option<String> {
    let manifest = std::fs::read(directory.join("manifest.json")).ok()?;
    let manifest: sastrugi::Value = serde_json::from_slice(&manifest).ok()?;
    Some(manifest["pipeline"]["title"].as_str()?.to_string())
}

/// Every picture, with the file that receives it.
fn pictures(arguments: &Arguments) -> Result<Vec<(PathBuf, String)>, Problem> {
    let series = runs::find(&arguments.from)?;
    let columns = columns(arguments, &series)?;
    let mut pictures = Vec::new();
    for (name, runs) in &series {
        if let Some(chart) = chart(arguments, name, runs, &columns)? {
            pictures.push((name, chart::text(&chart)?));
        }
    }
    let is_file = |path: &PathBuf| {
        path.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("svg"))
    };
    let directory = match (&arguments.out, &arguments.from[..]) {
        (Some(file), _) if is_file(file) => {
            let several = format!(
                "--out {} is one file, for {} series",
                file.display(),
                pictures.len()
            );
            return match pictures.len() {
                1 => Ok(pictures.into_iter().map(|(_, svg)| (file.clone(), svg)).collect()),
                _ => Err(Problem::without_place(several)
                    .help("name a directory, or one series such as DIR/NAME.csv")),
            };
        }
        (Some(directory), _) => directory,
        (None, [one]) if one.is_dir() => one,
        (None, [one]) => one.parent().unwrap_or(Path::new("")),
        (None, _) => Path::new(""),
    };
    let beside = |name: &str| directory.join(Path::new(name).with_extension("svg"));
    Ok(pictures
        .into_iter()
        .map(|(name, svg)| (beside(name), svg))
        .collect())
}

/// The columns to draw: `--columns`, or all columns in the order of the files. An unknown column is an error.
fn columns(arguments: &Arguments, series: &BTreeMap<String, Vec<Run>>) -> Result<Vec<String>, Problem> {
    let mut known: Vec<String> = Vec::new();
    for column in series.values().flatten().flat_map(|run| run.table.names()) {
        if !known.iter().any(|other| other == column) {
            known.push(column.to_string());
        }
    }
    let unknown = arguments.columns.iter().find(|name| !known.contains(name));
    match unknown {
        Some(name) => Err(Problem::without_place(format!("no series has a column `{name}`"))
            .suggest(name, known.iter().map(String::as_str))),
        None if arguments.columns.is_empty() => Ok(known),
        None => Ok(arguments.columns.clone()),
    }
}

/// The picture of one series; none if it has none of the columns.
fn chart(
    arguments: &Arguments,
    name: &str,
    runs: &[Run],
    columns: &[String],
) -> Result<Option<Chart>, Problem> {
    let of_series = |column: &&String| runs.iter().any(|run| run.table.column(column).is_some());
    let columns: Vec<&String> = columns.iter().filter(of_series).collect();
    let tables = tables(&arguments.x, runs)?;
    let curves = tables.len() * if arguments.together { columns.len() } else { 1 };
    if curves > MAX_CURVES {
        let message = format!("{name}: {curves} curves in a panel; at most {MAX_CURVES} can be told apart");
        return Err(Problem::without_place(message).help("name fewer directories, or fewer --columns"));
    }
    let mut panels: Vec<Panel> = Vec::new();
    let mut legend: Vec<String> = Vec::new();
    for column in &columns {
        if panels.is_empty() || !arguments.together {
            let title = if arguments.together { "" } else { column };
            panels.push(Panel {
                title: title.into(),
                curves: Vec::new(),
            });
        }
        for (label, table) in &tables {
            let Some(values) = table.column(column) else {
                continue;
            };
            let entry = if !arguments.together {
                label.clone()
            } else if label.is_empty() {
                column.to_string()
            } else {
                format!("{column}, {label}")
            };
            let color = legend
                .iter()
                .position(|other| *other == entry)
                .unwrap_or_else(|| {
                    legend.push(entry);
                    legend.len() - 1
                });
            let x = if arguments.x == "step" {
                &table.step
            } else {
                &table.time
            };
            let points = x.iter().copied().zip(values.iter().copied()).collect();
            if let Some(panel) = panels.last_mut() {
                panel.curves.push(Curve { color, points });
            }
        }
    }
    if panels.is_empty() {
        return Ok(None);
    }
    let stem = Path::new(name).with_extension("").display().to_string();
    let pipeline = title(&runs[0].directory);
    Ok(Some(Chart {
        title: pipeline.map_or(stem.clone(), |title| format!("{title}: {stem}")),
        x: match arguments.x.as_str() {
            "time" => "time (s)".into(),
            other => other.into(),
        },
        log: arguments.log,
        panels,
        legend: legend.into_iter().filter(|entry| !entry.is_empty()).collect(),
    }))
}

/// The table of each curve, with its label in the legend.
fn tables<'r>(x: &str, runs: &'r [Run]) -> Result<Vec<(String, Cow<'r, Table>)>, Problem> {
    if ["time", "step"].contains(&x) {
        let tables = runs.iter().map(|run| Cow::Borrowed(&run.table));
        return Ok(runs::labels(runs).into_iter().zip(tables).collect());
    }
    let finals = swept::finals(runs, x)?.into_iter();
    Ok(finals.map(|(label, table)| (label, Cow::Owned(table))).collect())
}
