//! Parameter sweeps: `PATH=A,B,C` as lists of overrides, one per run, with a directory name for each.

use std::collections::HashSet;

use crate::problem::{Problem, Problems};

use super::sweep_range::{self, MAX_RUNS};

/// One run of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Arguments of [`Builder::set`](crate::Builder::set).
    pub overrides: Vec<String>,
    /// Name of a directory, such as `wind.period=5,flakes.wet=1`; empty without a sweep.
    pub name: String,
}

/// Every combination of the values of all sweeps, the last one varying fastest. A sweep is `PATH=A,B,C`; commas in
/// brackets, braces and quotes belong to a value. `A..B` stands for the whole numbers from A to B, `A:B:STEP` for numbers
/// from A in steps up to B.
///
/// ```
/// let cases = sastrugi::batch::cases(&["wind.period=5,10".into(), "size=[32,32],[64,64]".into()])?;
/// assert_eq!(cases.len(), 4);
/// assert_eq!(cases[1].overrides, ["wind.period=5", "size=[64,64]"]);
/// # Ok::<(), sastrugi::Problems>(())
/// ```
pub fn cases(sweeps: &[String]) -> Result<Vec<Case>, Problems> {
    let mut cases = vec![Case {
        overrides: Vec::new(),
        name: String::new(),
    }];
    let mut swept: Vec<&str> = Vec::new();
    for sweep in sweeps {
        let (path, values) = sweep
            .split_once('=')
            .filter(|(path, values)| !path.is_empty() && !values.is_empty())
            .ok_or_else(|| {
                Problem::without_place(format!(
                    "sweep {sweep}: write PATH=A,B,C, PATH=A..B or PATH=A:B:STEP"
                ))
                .help("for example wind.period=5,10,20, run.seed=1..8 or wind.speed=0:1:0.25")
            })?;
        let mut listed = Vec::new();
        for value in split(values) {
            match sweep_range::values(path, value)? {
                Some(range) => listed.extend(range),
                None => listed.push(value.to_string()),
            }
        }
        let values = listed;
        refuse_repetition(path, &values, &swept)?;
        swept.push(path);
        if cases.len().saturating_mul(values.len()) > MAX_RUNS {
            return Err(Problem::without_place(format!("the sweeps have more than {MAX_RUNS} runs")).into());
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
    number_equal_names(&mut cases);
    Ok(cases)
}

/// Refuses two sweeps of one value, the second of which would override the first, and one value listed twice, which would
/// run twice.
fn refuse_repetition(path: &str, values: &[String], swept: &[&str]) -> Result<(), Problem> {
    // `parameters.` may be omitted.
    let short = |path| str::strip_prefix(path, "parameters.").unwrap_or(path);
    if swept.iter().any(|other| short(*other) == short(path)) {
        let message = format!("two sweeps of `{path}`");
        let help = format!("list all values in one sweep: {path}=A,B,C");
        return Err(Problem::without_place(message).help(help));
    }
    let mut known = HashSet::new();
    match values.iter().find(|value| !known.insert(value.trim())) {
        None => Ok(()),
        Some(value) => {
            let message = format!("the sweep of `{path}` lists {value} twice");
            Err(Problem::without_place(message).help("remove one of them: both runs would be the same"))
        }
    }
}

/// Splits at commas outside brackets, braces and quotes.
fn split(values: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut escaped) = (0u32, false, false);
    values
        .split(|c: char| {
            let escape = quoted && c == '\\' && !escaped;
            match c {
                '"' if !escaped => quoted = !quoted,
                '[' | '{' if !quoted => depth += 1,
                ']' | '}' if !quoted => depth = depth.saturating_sub(1),
                _ => {}
            }
            escaped = escape;
            c == ',' && depth == 0 && !quoted
        })
        .collect()
}

/// Numbers cases with equal names, as their values differ only in replaced characters: `rate=1_2`, `rate=1_2.2`.
fn number_equal_names(cases: &mut [Case]) {
    let mut taken: HashSet<String> = cases.iter().map(|case| case.name.clone()).collect();
    let mut seen = HashSet::new();
    for case in cases {
        if seen.insert(case.name.clone()) {
            continue;
        }
        let names = (2..).map(|number| format!("{}.{number}", case.name));
        if let Some(free) = names.into_iter().find(|name| !taken.contains(name)) {
            taken.insert(free.clone());
            case.name = free;
        }
    }
}

/// Replaces the characters that are not allowed in the name of a directory.
fn plain(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._=,-+".contains(c);
    name.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_sweeps_give_all_combinations() {
        let cases = cases(&["a=1,2".into(), "b.c=x,y,z".into()]).unwrap();
        assert_eq!(cases.len(), 6);
        assert_eq!(cases[4].overrides, ["a=2", "b.c=y"]);
        assert_eq!(cases[4].name, "a=2,b.c=y");
        assert_eq!(super::cases(&[]).unwrap().len(), 1);
    }

    #[test]
    fn lists_and_strings_sweep_as_single_values() {
        let values = |sweep: &str| {
            let cases = cases(&[sweep.into()]).unwrap();
            cases
                .into_iter()
                .map(|case| case.overrides[0].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(values("size=[32,32],[64,64]"), ["size=[32,32]", "size=[64,64]"]);
        assert_eq!(values(r#"a={"b":[1,2]},3"#), [r#"a={"b":[1,2]}"#, "a=3"]);
        assert_eq!(values(r#"a="x,]",y"#), [r#"a="x,]""#, "a=y"]);
        assert_eq!(values(r#"a="x\",",y"#), [r#"a="x\",""#, "a=y"]);
        assert_eq!(values("a=],b"), ["a=]", "a=b"]);
    }

    #[test]
    fn sweep_cases_have_distinct_directories() {
        let names = |sweep: &str| {
            let cases = cases(&[sweep.into()]).unwrap();
            cases.into_iter().map(|case| case.name).collect::<Vec<_>>()
        };
        assert_eq!(names("rate=1/2,1*2"), ["rate=1_2", "rate=1_2.2"]);
        assert_eq!(
            names("r=a/b,a*b,a_b.2,a:b"),
            ["r=a_b", "r=a_b.3", "r=a_b.2", "r=a_b.4"]
        );
    }

    #[test]
    fn ranges_sweep_every_number_and_combine_with_values() {
        let names = |sweep: &str| {
            let cases = cases(&[sweep.into()]).unwrap();
            cases.into_iter().map(|case| case.name).collect::<Vec<_>>()
        };
        assert_eq!(
            names("a=0:1:0.25,2"),
            ["a=0", "a=0.25", "a=0.5", "a=0.75", "a=1", "a=2"]
        );
        assert_eq!(names("seed=8..10"), ["seed=8", "seed=9", "seed=10"]);
        assert!(cases(&["a=0..2,1".into()]).is_err(), "1 is listed twice");
    }

    #[test]
    fn repeated_sweeps_and_values_are_refused() {
        let refused = |sweeps: &[&str]| {
            let sweeps: Vec<String> = sweeps.iter().map(|sweep| sweep.to_string()).collect();
            cases(&sweeps).unwrap_err().list[0].message.clone()
        };
        assert_eq!(refused(&["seed=1,2", "seed=3,4"]), "two sweeps of `seed`");
        assert_eq!(
            refused(&["a=1", "b=1", "parameters.a=3"]),
            "two sweeps of `parameters.a`"
        );
        assert_eq!(refused(&["dt=1/64,1/64"]), "the sweep of `dt` lists 1/64 twice");
        assert!(cases(&["a=1,2".into(), "a.b=1,2".into()]).is_ok());
    }

    #[test]
    fn sweep_case_names_contain_no_path_separators() {
        assert_eq!(cases(&["a=../x".into()]).unwrap()[0].name, "a=.._x");
        assert!(cases(&["a".into()]).is_err());
    }
}
