//! Displays problems with the input, each with its line of the text.

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use sastrugi::{MAX_SHOWN, Problem, Problems};

use super::terminal::plain;

/// Longest line that is printed, in bytes.
const MAX_LINE_BYTES: usize = 2000;

/// Compiler-style text, with colours when `colour` is set.
pub fn render(problems: &Problems, colour: bool) -> String {
    let theme = if colour {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(110);
    let mut text = String::new();
    for problem in problems.list.iter().take(MAX_SHOWN) {
        if let Some(brief) = brief(problem) {
            text.push_str(&plain(&brief));
            continue;
        }
        let mut diagnostic = MietteDiagnostic::new(plain(&problem.message));
        diagnostic.help = problem.help.as_deref().map(plain);
        if let Some(place) = problem.place() {
            let label = Some(&problem.pointer).filter(|pointer| !pointer.is_empty() && !problem.is_in_text());
            // For a value of many lines, only the first is shown.
            let written = place.source.text.get(place.range.clone()).unwrap_or_default();
            let length = written.lines().next().map_or(0, |line| line.trim_end().len());
            diagnostic.labels = Some(vec![LabeledSpan::new(
                label.map(|label| plain(label)),
                place.range.start,
                length,
            )]);
        }
        let mut report = Report::new(diagnostic);
        if let Some(place) = problem.place() {
            let source = NamedSource::new(plain(&place.source.name), plain(&place.source.text));
            report = report.with_source_code(source);
        }
        if handler.render_report(&mut text, report.as_ref()).is_err() {
            text.push_str(&plain(&problem.message));
            text.push('\n');
        }
        for (what, place) in problem.other_places() {
            text.push_str(&plain(&format!("  {what} at {}\n", place.text())));
        }
    }
    if let Some(hidden) = problems.list.len().checked_sub(MAX_SHOWN + 1) {
        text.push_str(&format!("and {} more problems\n", hidden + 1));
    }
    text
}

/// The problem without its line, if that is too long to print.
fn brief(problem: &Problem) -> Option<String> {
    let place = problem.place()?;
    let (line, column) = place.line_and_column();
    let written = place.source.text.lines().nth(line - 1)?;
    if written.len() <= MAX_LINE_BYTES {
        return None;
    }
    let help = problem
        .help
        .as_ref()
        .map(|help| format!("  help: {help}\n"))
        .unwrap_or_default();
    let (name, pointer) = (&place.source.name, &problem.pointer);
    Some(format!(
        "  × {}\n   ╭─[{name}:{line}:{column}] {pointer}\n   ╰────\n{help}",
        problem.message
    ))
}
