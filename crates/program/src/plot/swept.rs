//! Final values of the runs of a sweep against the parameter that it varied.

use sastrugi::Problem;

use super::runs::{self, Run};
use super::table::Table;

/// A curve per combination of the other parameters: its label, and the last line of each of its runs at the value of
/// `parameter`.
pub(super) fn finals(runs: &[Run], parameter: &str) -> Result<Vec<(String, Table)>, Problem> {
    let mut curves: Vec<(String, Vec<(f64, &Table)>)> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for run in runs {
        let Some(mut assignments) = runs::assignments(&run.directory) else {
            continue;
        };
        known.extend(assignments.iter().map(|(name, _)| name.clone()));
        let Some(at) = assignments.iter().position(|(name, _)| name == parameter) else {
            continue;
        };
        let (_, value) = assignments.remove(at);
        let x = number(&value).ok_or_else(|| {
            let message = format!("{}: `{value}` is not a number", run.directory.display());
            Problem::without_place(message).help("--x needs a parameter whose values are numbers")
        })?;
        let others = assignments
            .iter()
            .map(|(name, value)| format!("{name} = {value}"));
        let label = others.collect::<Vec<_>>().join(", ");
        match curves.iter_mut().find(|(other, _)| *other == label) {
            Some((_, points)) => points.push((x, &run.table)),
            None => curves.push((label, vec![(x, &run.table)])),
        }
    }
    if curves.is_empty() {
        known.sort();
        known.dedup();
        let message = format!("no run has `{parameter}` in the name of its directory");
        let known = ["time", "step"]
            .into_iter()
            .chain(known.iter().map(String::as_str));
        return Err(Problem::without_place(message).suggest(parameter, known));
    }
    let table = |(label, mut points): (String, Vec<(f64, &Table)>)| {
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        (label, Table::of_last_lines(&points))
    };
    Ok(curves.into_iter().map(table).collect())
}

/// A number, or a quotient of two, as sweeps often have it.
fn number(text: &str) -> Option<f64> {
    let parsed = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    match text.split_once('/') {
        Some((above, below)) => Some(parsed(above)? / parsed(below)?),
        None => parsed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_sorted_and_separate_other_parameters() {
        let run = |name: &str, last: f64| Run {
            directory: name.into(),
            table: Table::of_last_lines(&[(0.0, &one(last))]),
        };
        let runs = [
            run("out/rate=10,seed=1", 1.0),
            run("out/rate=0.5,seed=1", 2.0),
            run("out/rate=10,seed=2", 3.0),
        ];
        let found = finals(&runs, "rate").unwrap();
        let labels: Vec<&str> = found.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, ["seed = 1", "seed = 2"]);
        assert_eq!(found[0].1.time, [0.5, 10.0]);
        assert_eq!(found[0].1.column("a"), Some(&[2.0, 1.0][..]));
        let refused = finals(&runs, "rat").map(|_| ()).unwrap_err();
        assert!(refused.message.contains("no run has `rat`"));
    }

    #[test]
    fn quotients_are_numbers() {
        assert_eq!(number("1/4"), Some(0.25));
        assert_eq!(number("1e-3"), Some(0.001));
        assert_eq!((number("fast"), number("nan")), (None, None));
    }

    fn one(value: f64) -> Table {
        let text = format!("frame,step,time,a\n0,0,0,7\n1,1,1,{value}");
        super::super::table::of_csv(&text).unwrap().unwrap()
    }
}
