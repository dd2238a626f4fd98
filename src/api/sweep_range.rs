//! Ranges in sweeps: `0..10` and `0:1:0.25`.

use crate::problem::Problem;

/// Maximum number of runs of one command.
pub(super) const MAX_RUNS: usize = 100_000;
/// Steps by which the end of a range may be missed: 0.3 is 3 times 0.1 but for the last bit.
const TOLERANCE: f64 = 1e-6;

/// The values of a range, both ends included: `A..B` in steps of one, `A:B:STEP` otherwise. `None` for any other text,
/// such as `../shapes`.
pub(super) fn values(path: &str, text: &str) -> Result<Option<Vec<String>>, Problem> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    let colons: Vec<&str> = text.split(':').collect();
    let parts = match (colons.as_slice(), text.split_once("..")) {
        ([first, last, step], _) => [number(first), number(last), number(step)],
        (_, Some((first, last))) => [number(first), number(last), Some(1.0)],
        _ => return Ok(None),
    };
    let [Some(first), Some(last), Some(step)] = parts else {
        return Ok(None);
    };
    let is_dotted = colons.len() == 1;
    let wrong = |message: String, help: &str| {
        Problem::without_place(format!("the range {text} of the sweep of `{path}` {message}")).help(help)
    };
    if is_dotted && (first.fract(), last.fract()) != (0.0, 0.0) {
        return Err(wrong(
            "has ends that are not whole numbers".into(),
            "write A:B:STEP",
        ));
    }
    let steps = (last - first) / step;
    if !steps.is_finite() || steps < -TOLERANCE {
        let help = "both ends belong to it: write 0..10 from the smaller number, or A:B:STEP with a step from A to B";
        return Err(wrong("is empty".into(), help));
    }
    if steps >= MAX_RUNS as f64 {
        return Err(wrong(
            format!("has more than {MAX_RUNS} values"),
            "use a larger step",
        ));
    }
    let count = (steps + TOLERANCE).floor() as u32 + 1;
    let at = |index: u32| short(first + f64::from(index) * step);
    Ok(Some((0..count).map(at).collect()))
}

/// The number without the rounding error of a sum: 0.3, not 0.30000000000000004.
fn short(value: f64) -> String {
    let rounded = format!("{value:.12e}").parse::<f64>().unwrap_or(value);
    // -0 is 0.
    (rounded + 0.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Vec<String>> {
        values("a", text).unwrap()
    }

    #[test]
    fn ranges_include_both_ends_without_rounding_errors() {
        assert_eq!(of("-1..1").unwrap(), ["-1", "0", "1"]);
        assert_eq!(of("0.1:0.4:0.1").unwrap(), ["0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(of("1:0:-0.5").unwrap(), ["1", "0.5", "0"]);
        assert_eq!(of("0:1:0.4").unwrap(), ["0", "0.4", "0.8"]);
        assert_eq!(of("1e-4:3e-4:1e-4").unwrap(), ["0.0001", "0.0002", "0.0003"]);
    }

    #[test]
    fn other_texts_are_no_ranges() {
        for text in ["1", "../x", "a:b:c", "a..b", "1:2", "x/2:1:1", "1/2", ""] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn impossible_ranges_are_refused() {
        for (text, message) in [
            ("1..0", "is empty"),
            ("0:1:0", "is empty"),
            ("0:1:-1", "is empty"),
            ("0.5..2", "not whole"),
            ("0:1:1e-9", "more than"),
        ] {
            let problem = values("a", text).unwrap_err();
            assert!(problem.message.contains(message), "{}", problem.message);
        }
    }
}
