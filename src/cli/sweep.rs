//! Parameter sweeps: `--sweep PATH=A,B,C` as lists of overrides, one per run, with a directory name for each.

use crate::problem::{Problem, Problems};

/// Most runs of one command.
const MOST_RUNS: usize = 100_000;

/// One run of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    pub overrides: Vec<String>,
    /// Such as `wind.period=5,flakes.wet=1`; empty without a sweep.
    pub name: String,
}

/// Every combination of the values of all sweeps, the last one varying fastest.
pub(super) fn cases(sweeps: &[String]) -> Result<Vec<Case>, Problems> {
    let mut cases = vec![Case {
        overrides: Vec::new(),
        name: String::new(),
    }];
    for sweep in sweeps {
        let (path, values) = sweep
            .split_once('=')
            .filter(|(path, values)| !path.is_empty() && !values.is_empty())
            .ok_or_else(|| {
                Problem::without_place(format!("--sweep {sweep}: write PATH=A,B,C"))
                    .help("for example --sweep wind.period=5,10,20")
            })?;
        let values: Vec<&str> = values.split(',').collect();
        if cases.len().saturating_mul(values.len()) > MOST_RUNS {
            return Err(Problem::without_place(format!("the sweeps have more than {MOST_RUNS} runs")).into());
        }
        let with = |case: &Case, value: &str| {
            let assignment = format!("{path}={value}");
            let name = [case.name.as_str(), &assignment]
                .iter()
                .filter(|part| !part.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join(",");
            Case {
                overrides: case.overrides.iter().cloned().chain([assignment]).collect(),
                name: plain(&name),
            }
        };
        cases = cases
            .iter()
            .flat_map(|case| values.iter().map(move |value| with(case, value)))
            .collect();
    }
    Ok(cases)
}

/// A name for a single directory, whatever the values are.
fn plain(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._=,-+".contains(c);
    name.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_combine() {
        let cases = cases(&["a=1,2".into(), "b.c=x,y,z".into()]).unwrap();
        assert_eq!(cases.len(), 6);
        assert_eq!(cases[4].overrides, ["a=2", "b.c=y"]);
        assert_eq!(cases[4].name, "a=2,b.c=y");
        assert_eq!(super::cases(&[]).unwrap().len(), 1);
    }

    #[test]
    fn names_stay_in_their_directory() {
        assert_eq!(cases(&["a=../x".into()]).unwrap()[0].name, "a=.._x");
        assert!(cases(&["a".into()]).is_err());
    }
}
