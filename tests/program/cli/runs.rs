//! Runs that end well.

use super::*;

#[test]
fn output_files_have_documented_names_and_are_in_the_manifest() {
    let directory = tempfile::tempdir().unwrap();
    run_into(directory.path(), TINY, &[]).exits(0);
    let mut expected: Vec<String> = Vec::new();
    for frame in 1..=5 {
        expected.extend(["heat", "visits"].map(|name| format!("{name}.{frame:04}.npy")));
        expected.push(format!("view.{frame:04}.png"));
    }
    expected.extend([2, 4].map(|frame| format!("dots.{frame:04}.npy")));
    expected.sort();
    let frames = frames(directory.path());
    assert_eq!(frames.keys().cloned().collect::<Vec<_>>(), expected);
    assert_whole(&frames);
    let hidden: Vec<_> = files(directory.path())
        .into_keys()
        .filter(|name| name.starts_with('.'))
        .collect();
    assert_eq!(hidden, [""; 0]);

    let heat = npy(&frames["heat.0003.npy"]);
    assert_eq!(
        (heat.shape(), heat.order()),
        (&[5, 7, 9][..], npyz::Order::C),
        "slowest axis first"
    );
    assert_eq!(npy(&frames["dots.0004.npy"]).shape(), [100, 3]);

    let manifest = manifest(directory.path());
    assert_eq!(manifest["state"], "done");
    assert_eq!(
        [&manifest["steps"], &manifest["frames"], &manifest["seed"]],
        [10, 5, 7]
    );
    assert_eq!(manifest["pipeline"]["file"], "tiny.json");
    assert_eq!(manifest["outputs"]["view"]["files"], 5);
    assert_eq!(manifest["outputs"]["dots"]["files"], 2);
    let shaders = manifest["shaders"].as_array().unwrap();
    assert!(
        shaders.iter().any(|shader| shader["stage"] == "spread"),
        "{shaders:?}"
    );
    for (name, output) in manifest["outputs"].as_object().unwrap() {
        let of_output = frames
            .iter()
            .filter(|(file, _)| file.starts_with(&format!("{name}.")));
        assert_eq!(
            output["bytes"],
            of_output.map(|(_, data)| data.len() as u64).sum::<u64>(),
            "{name}"
        );
    }
}

/// The whole chain against arithmetic on the host: heat after a frame by the same formula.
#[test]
fn output_values_match_the_formula() {
    let directory = tempfile::tempdir().unwrap();
    let every = ["--set", "run.steps_per_frame=1", "--frames", "2"];
    run_into(directory.path(), TINY, &every).exits(0);
    let frames = frames(directory.path());
    let heat = |frame: u32| {
        npy(&frames[&format!("heat.{frame:04}.npy")])
            .into_vec::<f32>()
            .unwrap()
    };
    let (before, after) = (heat(1), heat(2));
    let size = [9_i32, 7, 5];
    let index = |c: [i32; 3]| (c[0] + size[0] * (c[1] + size[1] * c[2])) as usize;
    let mut changed = 0;
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let own = f64::from(before[index([x, y, z])]);
                let mut gain = 0.0;
                for axis in 0..3 {
                    for side in [-1, 1] {
                        let mut other = [x, y, z];
                        other[axis] = (other[axis] + side).clamp(0, size[axis] - 1);
                        gain += f64::from(before[index(other)]) - own;
                    }
                }
                let expected = own + 0.1 * gain;
                // Eight roundings of numbers below 6 in 24 bits.
                let got = f64::from(after[index([x, y, z])]);
                assert!(
                    (got - expected).abs() < 8.0 * 6.0 / f64::from(1 << 24),
                    "{got} at {x} {y} {z}, {expected}"
                );
                changed += u32::from((got - own).abs() > 1e-3);
            }
        }
    }
    assert!(
        changed > 100,
        "control: a step changes the heat, in {changed} cells"
    );
}

#[test]
fn repeated_runs_are_byte_identical() {
    let (once, again) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_into(once.path(), TINY, &[]).exits(0);
    run_into(again.path(), TINY, &[]).exits(0);
    assert_eq!(differing(&frames(once.path()), &frames(again.path())), [""; 0]);
    let other = tempfile::tempdir().unwrap();
    run_into(other.path(), TINY, &["--set", "run.seed=9"]).exits(0);
    let differing = differing(&frames(once.path()), &frames(other.path()));
    assert!(
        differing.contains(&"heat.0005.npy".into()),
        "control: another seed, other numbers: {differing:?}"
    );
}

#[test]
fn full_barriers_change_no_byte() {
    let (normal, full) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_into(normal.path(), TINY, &[]).exits(0);
    run_into(full.path(), TINY, &["--full-barriers"]).exits(0);
    assert_eq!(differing(&frames(normal.path()), &frames(full.path())), [""; 0]);
}

#[test]
fn checked_mode_changes_no_byte() {
    let (normal, checked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_into(normal.path(), TINY, &[]).exits(0);
    run_into(checked.path(), TINY, &["--checked"]).exits(0);
    assert_eq!(
        differing(&frames(normal.path()), &frames(checked.path())),
        [""; 0]
    );
}

#[test]
fn frames_and_set_override_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let more = [
        "--frames",
        "3",
        "--set",
        "spread.rate=0.05",
        "--set",
        "outputs.view.every=3",
    ];
    run_into(directory.path(), TINY, &more).exits(0);
    let frames = frames(directory.path());
    let views: Vec<_> = frames.keys().filter(|name| name.starts_with("view")).collect();
    assert_eq!(views, ["view.0003.png"]);
    assert!(frames.contains_key("heat.0003.npy") && !frames.contains_key("heat.0004.npy"));

    let plain = tempfile::tempdir().unwrap();
    run_into(plain.path(), TINY, &["--frames", "3"]).exits(0);
    let differing = differing(&frames, &super::frames(plain.path()));
    assert!(
        differing.contains(&"heat.0001.npy".into()),
        "another rate, other heat: {differing:?}"
    );
}

#[test]
fn several_pipelines_write_to_directories_of_their_names() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    run(&[
        "run",
        TINY,
        "tests/data/twin.json",
        "--out",
        out,
        "--frames",
        "1",
        "--quiet",
    ])
    .exits(0);
    let frames = frames(directory.path());
    let names: Vec<_> = frames.keys().map(String::as_str).collect();
    let expected = ["heat.0001.npy", "view.0001.png", "visits.0001.npy"];
    let expected: Vec<_> = ["tiny", "twin"]
        .iter()
        .flat_map(|name| expected.map(|file| format!("{name}/{file}")))
        .collect();
    assert_eq!(names, expected);
    assert_ne!(
        frames["tiny/heat.0001.npy"], frames["twin/heat.0001.npy"],
        "seeds 7 and 8"
    );
    let alone = tempfile::tempdir().unwrap();
    run_into(alone.path(), "tests/data/twin.json", &["--frames", "1"]).exits(0);
    assert_eq!(
        super::frames(alone.path())["heat.0001.npy"],
        frames["twin/heat.0001.npy"]
    );
    assert_eq!(manifest(&directory.path().join("twin"))["seed"], 8);
}

#[test]
fn progress_is_plain_lines_without_a_terminal_and_quiet_prints_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let loud = run(&["run", TINY, "--out", out]).exits(0);
    let text = format!("{}{}", loud.stdout, loud.stderr);
    assert!(
        text.contains("steps/s") && text.contains(out),
        "rate and place are told: {text}"
    );
    assert!(
        !text.contains(['\r', '\x1b']),
        "no terminal codes in a pipe: {text:?}"
    );
    let quiet = run_into(directory.path(), TINY, &[]).exits(0);
    assert_eq!(format!("{}{}", quiet.stdout, quiet.stderr), "");
}
