//! `sastrugi plot`: the pictures of series.

use std::fs;
use std::path::Path;

use super::{run, run_into};

/// A series with these values, one second apart.
fn write(directory: &Path, values: &[&str]) {
    fs::create_dir_all(directory).unwrap();
    let line = |(number, value): (usize, &&str)| format!("{number},{},{number},{value},1\n", 2 * number);
    let lines: String = values.iter().enumerate().map(line).collect();
    fs::write(
        directory.join("totals.csv"),
        format!("frame,step,time,snow,ones\n{lines}"),
    )
    .unwrap();
}

/// The points of each curve in a picture, and its single points, in the color of the first run.
fn curves(svg: &str) -> (Vec<usize>, usize) {
    let first = |line: &&str| line.contains("#0072B2");
    let points = |line: &str| {
        line.split("points=\"")
            .nth(1)
            .map(|rest| rest.matches(',').count())
    };
    let lines = svg.lines().filter(first);
    let curves = lines
        .clone()
        .filter(|line| line.contains("<polyline"))
        .filter_map(points);
    // A line of the legend has two points, and stands right of all panels.
    (
        curves.collect(),
        lines.filter(|line| line.contains("<circle")).count(),
    )
}

fn draw(directory: &Path, more: &[&str]) -> String {
    run(&[&["plot", directory.to_str().unwrap()], more].concat()).exits(0);
    fs::read_to_string(directory.join("totals.svg")).unwrap()
}

#[test]
fn plot_curves_have_one_point_per_line_and_gaps_at_nan() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &["1", "2", "3", "4", "5", "6", "7"]);
    let svg = draw(directory.path(), &["--columns", "snow"]);
    assert_eq!(curves(&svg), (vec![7], 0));
    assert!(svg.contains("time (s)") && !svg.contains("ones"), "{svg}");
    write(directory.path(), &["1", "2", "nan", "4", "inf", "6", "7"]);
    assert_eq!(
        curves(&draw(directory.path(), &["--columns", "snow"])),
        (vec![2, 2], 1)
    );
    write(directory.path(), &["1", "2", "0", "4", "5", "-6", "7"]);
    assert_eq!(
        curves(&draw(directory.path(), &["--columns", "snow", "--log"])),
        (vec![2, 2], 1)
    );
    let svg = draw(directory.path(), &["--x", "step"]);
    assert_eq!(curves(&svg), (vec![7, 7], 0));
    assert!(svg.contains("ones") && !svg.contains("time (s)"));
}

#[test]
fn sweep_runs_share_a_plot_with_a_legend() {
    let directory = tempfile::tempdir().unwrap();
    for case in ["rate=10,seed=1", "rate=5,seed=1"] {
        write(&directory.path().join(case), &["1", "2", "3"]);
    }
    let svg = draw(directory.path(), &[]);
    let place = |text: &str| {
        svg.find(text)
            .unwrap_or_else(|| panic!("{text} is missing in {svg}"))
    };
    assert!(
        place("rate = 5") < place("rate = 10"),
        "in the order of the numbers"
    );
    assert!(!svg.contains("seed"));
    let out = directory.path().join("one.svg");
    let together = [
        "plot",
        directory.path().to_str().unwrap(),
        "--together",
        "--out",
        out.to_str().unwrap(),
    ];
    run(&together).exits(0);
    assert!(fs::read_to_string(out).unwrap().contains("ones, rate = 10"));
}

#[test]
fn plots_are_written_beside_the_series() {
    let directory = tempfile::tempdir().unwrap();
    let values = r#"outputs.totals={"format": "csv", "values": {"heat": "sum(box.heat)"}}"#;
    run_into(directory.path(), super::TINY, &["--frames", "5", "--set", values]).exits(0);
    let svg = draw(directory.path(), &[]);
    let lines = fs::read_to_string(directory.path().join("totals.csv"))
        .unwrap()
        .lines()
        .count();
    assert_eq!(curves(&svg), (vec![lines - 1], 0));
    assert!(svg.contains("heat"));
}

#[test]
fn unplottable_input_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    run(&["plot", path])
        .exits(2)
        .says(&["has no series", "an output with `values`"]);
    fs::write(directory.path().join("points.0001.csv"), "x,y,z\n1,2,3\n").unwrap();
    run(&["plot", path]).exits(2).says(&["has no series"]);
    write(directory.path(), &[]);
    run(&["plot", path])
        .exits(2)
        .says(&["totals.csv has no lines yet"]);
    write(directory.path(), &["1", "2"]);
    let unknown = run(&["plot", path, "--columns", "snwo"]).exits(2);
    unknown.says(&["no series has a column `snwo`", "did you mean `snow`?"]);
    write(directory.path(), &["1", "x"]);
    run(&["plot", path])
        .exits(2)
        .says(&["totals.csv:3: `x` is not a number"]);
    run(&["plot", "no/such"]).exits(2).says(&["cannot read no/such"]);
    fs::copy(
        directory.path().join("totals.csv"),
        directory.path().join("more.csv"),
    )
    .unwrap();
    write(directory.path(), &["1"]);
    fs::copy(
        directory.path().join("totals.csv"),
        directory.path().join("more.csv"),
    )
    .unwrap();
    let one = ["plot", path, "--out", "one.svg"];
    run(&one).exits(2).says(&["one.svg is one file, for 2 series"]);
}

#[test]
fn plot_draws_final_values_against_a_swept_parameter() {
    let directory = tempfile::tempdir().unwrap();
    for (name, last) in [
        ("rate=1_2,seed=1", "5"),
        ("rate=2,seed=1", "7"),
        ("rate=10,seed=1", "6"),
        ("rate=2,seed=2", "8"),
    ] {
        write(&directory.path().join(name), &["1", last]);
    }
    fs::write(
        directory.path().join("rate=1_2,seed=1/resolved.json"),
        "{\"parameters\": {\"rate\": \"1/2\"}}",
    )
    .unwrap();
    let svg = draw(directory.path(), &["--columns", "snow", "--x", "rate"]);
    // Three runs of seed 1, and the legend; the single run of seed 2 has another color.
    assert_eq!(curves(&svg), (vec![3, 2], 0));
    for text in ["rate", "seed = 1", "seed = 2"] {
        assert!(svg.contains(text), "{text}");
    }
    let out = directory.path().to_str().unwrap();
    run(&["plot", out, "--x", "rte"])
        .exits(2)
        .says(&["no run has `rte`", "did you mean `rate`?"]);
}
