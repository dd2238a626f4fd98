//! The costs of the cases of a sweep as text.

use std::fmt::Write;

use sastrugi::{BenchSweep, CostLine, CostPoint, DomainBench};

use crate::bench::table::{four_digits, percent};

/// Mark of costs that launches or the host limit.
const MARK: char = '*';

/// A line for the device, a table of the cases, and one of the stages that take longest.
pub(super) fn text(sweep: &BenchSweep) -> String {
    let Some(first) = sweep.cases.first() else {
        return String::from("no case was measured\n");
    };
    let bench = &first.bench;
    let mut text = format!(
        "{} on {} ({}), {} runs of each case\na copy moves {} GB/s; a dispatch with a barrier takes {} us\n",
        bench.pipeline,
        bench.device,
        bench.driver,
        bench.runs,
        four_digits(sweep.copy_gb_per_s),
        four_digits(sweep.launch_us)
    );
    let costs = sweep.costs();
    let Some((total, stages)) = costs.split_first() else {
        text.push_str("no resource is a domain in all cases\n");
        return text;
    };
    text.push_str(&aligned(&cases(sweep, total)));
    let _ = writeln!(text, "\n{}", summary(total));
    if !stages.is_empty() {
        text.push_str("\ntime of a stage per element of its domain, ns\n");
        text.push_str(&aligned(&of_stages(sweep, stages)));
    }
    let all = costs.iter().flat_map(|line| line.points.iter().flatten());
    if all.into_iter().any(|point| point.is_overhead) {
        let _ = writeln!(
            text,
            "{MARK} launches, or the submission of the step, take over a third of the time"
        );
    }
    text
}

/// The rows of the cases, below their heading.
fn cases(sweep: &BenchSweep, total: &CostLine) -> Vec<Vec<String>> {
    let domains = domains(sweep, total);
    let min = total.points.iter().flatten().map(|point| point.ns);
    let min = min.fold(f64::INFINITY, f64::min);
    let heading = ["case".to_string()].into_iter();
    let heading = heading.chain(domains.iter().map(|name| name.to_string()));
    let cost = format!("ns/{}", total.element);
    let mut rows: Vec<Vec<String>> = vec![
        heading
            .chain(["steps", "ms", "spread", &cost, "ratio"].map(String::from))
            .collect(),
    ];
    for (case, point) in sweep.cases.iter().zip(&total.points) {
        let elements = domains.iter().map(|name| {
            let found = case.bench.domains.iter().find(|domain| domain.resource == *name);
            found.map_or_else(|| "-".into(), |domain| domain.elements.to_string())
        });
        let wall = case.bench.step.wall_ms;
        let ratio = point.map_or_else(|| "-".into(), |point| format!("{:.2}", point.ns / min));
        let values = [
            case.bench.steps.to_string(),
            four_digits(wall.median),
            percent(wall),
            cell(*point),
            ratio,
        ];
        rows.push([case.name()].into_iter().chain(elements).chain(values).collect());
    }
    rows
}

/// The domains with a column: that of the costs, those that change, and the largest lattice and particle set.
fn domains<'a>(sweep: &'a BenchSweep, total: &CostLine) -> Vec<&'a str> {
    let Some(largest) = sweep
        .cases
        .iter()
        .max_by_key(|case| case.bench.domains.first().map(|domain| domain.elements))
    else {
        return Vec::new();
    };
    let all = &largest.bench.domains;
    let first_of = |is_set: bool| all.iter().find(|domain| (domain.element == "particle") == is_set);
    let changes = |domain: &DomainBench| {
        let found = sweep.cases.iter().map(|case| {
            case.bench
                .domains
                .iter()
                .find(|other| other.resource == domain.resource)
        });
        found.flatten().any(|other| other.elements != domain.elements)
    };
    let shown = all.iter().filter(|domain| {
        domain.resource == total.domain
            || changes(domain)
            || [true, false]
                .iter()
                .any(|is_set| first_of(*is_set) == Some(domain))
    });
    shown.map(|domain| domain.resource.as_str()).collect()
}

/// The rows of the cases, with the cost of each stage, and the difference between the highest and the lowest one.
fn of_stages(sweep: &BenchSweep, stages: &[CostLine]) -> Vec<Vec<String>> {
    let row = |first: &str, rest: &mut dyn Iterator<Item = String>| {
        [first.to_string()].into_iter().chain(rest).collect()
    };
    let mut rows: Vec<Vec<String>> = vec![
        row("case", &mut stages.iter().filter_map(|line| line.stage.clone())),
        row("domain", &mut stages.iter().map(|line| line.domain.clone())),
    ];
    for (number, case) in sweep.cases.iter().enumerate() {
        rows.push(row(
            &case.name(),
            &mut stages.iter().map(|line| cell(line.points[number])),
        ));
    }
    rows.push(row(
        "spread",
        &mut stages
            .iter()
            .map(|line| spread(line).unwrap_or_else(|| "-".into())),
    ));
    rows
}

/// A cost, with a mark or a space after it.
fn cell(point: Option<CostPoint>) -> String {
    point.map_or_else(
        || "- ".into(),
        |point| {
            format!(
                "{}{}",
                four_digits(point.ns),
                if point.is_overhead { MARK } else { ' ' }
            )
        },
    )
}

/// By how much the highest cost exceeds the lowest one, among at least two cases past the overhead of launches.
fn spread(line: &CostLine) -> Option<String> {
    let (low, high, _) = line.range().filter(|(.., cases)| *cases > 1)?;
    Some(format!("{:.0} % ", 100.0 * (high / low - 1.0)))
}

fn summary(total: &CostLine) -> String {
    let all = total.points.len();
    match (total.range(), spread(total)) {
        (Some((low, high, cases)), Some(spread)) => format!(
            "past the overhead of launches, in {cases} of {all} cases, a {} of {} costs {} to {} ns: a spread of {}",
            total.element,
            total.domain,
            four_digits(low),
            four_digits(high),
            spread.trim_end()
        ),
        _ => "fewer than two cases are past the overhead of launches".to_string(),
    }
}

/// Rows as text: the first column to the left, others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| Some(row.get(column)?.chars().count()))
            .max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 => format!("  {cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        cells.collect::<String>().trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: [(f64, bool); 3]) -> CostLine {
        CostLine {
            stage: None,
            domain: "air".into(),
            element: "cell".into(),
            points: points
                .map(|(ns, is_overhead)| {
                    Some(CostPoint {
                        elements: 1,
                        ns,
                        is_overhead,
                    })
                })
                .into(),
        }
    }

    #[test]
    fn summary_states_the_spread_past_the_overhead() {
        let text = summary(&line([(9.0, true), (2.0, false), (2.3, false)]));
        assert!(
            text.contains("in 2 of 3 cases, a cell of air costs 2.000 to 2.300 ns"),
            "{text}"
        );
        assert!(text.ends_with("a spread of 15 %"), "{text}");
        let text = summary(&line([(9.0, true), (2.0, true), (2.3, false)]));
        assert!(text.starts_with("fewer than two cases"), "{text}");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "10"], ["bcd", "2 "]].map(|row| row.map(String::from).to_vec());
        assert_eq!(aligned(&rows), "  a    10\n  bcd  2\n");
    }
}
