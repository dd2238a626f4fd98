//! Series in files: every line whole, every number readable, frames in order.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sastrugi::output::{FrameColumn, Series};
use serde_json::json;

use super::*;

fn counting() -> Value {
    json!({
        "parameters": {"rows": 1000},
        "run": {"dt": 0.1, "steps_per_frame": 2, "frames": 7},
        "buffers": {
            "a": {"type": "float", "length": 1000, "background": 0.1},
            "b": {"type": "float", "length": 1000},
            "c": {"type": "vec3", "length": 1000, "background": 0},
        },
        "step": [
            {"stage": "count", "over": "a", "reads": ["a"], "writes": ["a"]},
            {"stage": "left", "over": "b", "writes": ["b"]},
            {"stage": "divide", "over": "c", "reads": ["a", "b", "c"], "writes": ["c"], "arguments": {"numerator": 1}},
        ],
        "outputs": {
            "rows": {"format": "csv", "values": {"a": "max(a)", "b": "b[517]", "n": "nonfinite(c.y)", "c": "sum(c.y)",
                                                  "share": "3 * (sum(a) - b[517]) / rows + max(dt, max(a))"}},
            "lines": {"format": "jsonl", "every": 3, "values": {"a": "max(a)", "c": "sum(c.y)"}},
            "field": {"source": "a", "every": 2},
        },
    })
}

fn rows(text: &str) -> Vec<Vec<f64>> {
    let cells = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    text.lines().skip(1).map(cells).collect()
}

#[test]
fn series_lines_match_frame_contents() {
    let out = tempfile::tempdir().unwrap();
    let mut file = counting();
    file["run"]["frames"] = json!(21);
    let Some(ran) = program(&file, out.path(), &[]) else {
        return;
    };
    assert_eq!(ran.code, Some(0), "{}", ran.text);
    let text = fs::read_to_string(out.path().join("rows.csv")).unwrap();
    assert!(text.starts_with("frame,step,time,a,b,n,c,share\n"), "{text}");
    let rows = rows(&text);
    assert_eq!(rows.len(), 22);
    let mut a = 0.1f32;
    for (frame, row) in rows.iter().enumerate() {
        if frame > 0 {
            a = a + 1.0 + 1.0;
        }
        assert_eq!(
            row[..3],
            [frame as f64, 2.0 * frame as f64, (2 * frame) as f64 * 0.1]
        );
        assert_eq!(row[3], f64::from(a), "a float reads back exactly");
        // Nothing has written it before the first step.
        assert_eq!(
            row[4],
            if frame == 0 {
                0.0
            } else {
                37.0 - 2.0 * frame as f64
            }
        );
        let share = 3.0 * (1000.0 * f64::from(a) - row[4]) / 1000.0 + f64::from(a.max(0.1));
        assert!((row[7] - share).abs() < 1e-4 * share.abs(), "{row:?}: {share}");
        // Step 37 divides by zero.
        let bad = frame > 18;
        assert_eq!(row[5], f64::from(u8::from(bad)));
        assert_eq!(row[6].is_nan(), bad, "{row:?}");
    }
    let text = fs::read_to_string(out.path().join("lines.jsonl")).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 8);
    for (number, line) in lines.iter().enumerate() {
        let frame = 3 * number;
        assert_eq!(line["frame"], json!(frame));
        assert_eq!(line["a"].as_f64().unwrap(), rows[frame][3]);
        assert_eq!(
            line["c"].as_f64().is_none(),
            frame > 18,
            "JSON has no NaN, but null"
        );
    }
    // The field's own frames say the same.
    let field = fs::read(out.path().join("field.0004.npy")).unwrap();
    let most: f32 = npyz::NpyFile::new(&field[..])
        .unwrap()
        .into_vec()
        .unwrap()
        .into_iter()
        .fold(0.0, f32::max);
    assert_eq!(rows[4][3], f64::from(most));
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(out.path().join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["outputs"]["rows"]["format"], json!("csv"));
}

/// The first line is the state before the first step, in which nothing is drawn. Values of fields that hold a NaN are NaN,
/// also behind a `max` of numbers.
#[test]
fn first_series_line_is_the_initial_state() {
    let file = json!({
        "run": {"dt": 0.5, "frames": 2},
        "buffers": {
            "a": {"type": "float", "length": 1000, "background": 3},
            "drawn": {"type": "float", "length": 1000, "background": 7},
        },
        "init": [{"set": "a", "to": 5}],
        "step": [{"stage": "count", "over": "a", "reads": ["a"], "writes": ["a"]}],
        "frame": [{"set": "drawn", "to": "a"}],
        "outputs": {"rows": {"format": "csv", "every": 2, "values": {
            "a": "mean(a)", "drawn": "max(drawn)", "both": "max(max(drawn), 0) - min(a)"
        }}},
    });
    for frames in ["2", "0"] {
        let out = tempfile::tempdir().unwrap();
        let Some(ran) = program(&file, out.path(), &["--frames", frames]) else {
            return;
        };
        assert_eq!(ran.code, Some(0), "{}", ran.text);
        let text = fs::read_to_string(out.path().join("rows.csv")).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let wanted = ["0,0,0.0,5.0,nan,nan", "2,2,1.0,7.0,7.0,0.0"];
        assert_eq!(lines, wanted[..if frames == "0" { 1 } else { 2 }]);
    }
}

#[test]
fn killed_run_leaves_complete_ordered_lines() {
    if common::gpu().is_none() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let mut file = counting();
    file["run"]["frames"] = json!(1_000_000);
    file["outputs"].as_object_mut().unwrap().remove("field");
    common::take_shaders(&directory(), &mut file);
    let spec = out.path().join("spec.json");
    fs::write(&spec, file.to_string()).unwrap();
    let mut child = common::start()
        .arg("run")
        .arg(&spec)
        .args(["--quiet", "--out"])
        .arg(out.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let path = out.path().join("rows.csv");
    let lines = || fs::read_to_string(&path).map_or(0, |text| text.lines().count());
    let start = Instant::now();
    while lines() < 40 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with('\n'));
    let rows = rows(&text);
    assert!(rows.len() >= 39, "{}", rows.len());
    for (number, row) in rows.iter().enumerate() {
        assert_eq!((row.len(), row[0]), (8, number as f64));
    }
}

#[test]
fn series_resume_after_a_frame() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("rows.csv");
    let header = "frame,step,time,a\n";
    let resume = |after| Series::resume(&path, header, FrameColumn::CSV, after);
    let text = || fs::read_to_string(&path).unwrap();
    let mut log = Series::create(&path, header).unwrap();
    assert_eq!(text(), header, "there from the start");
    for frame in [2, 4, 6, 8] {
        log.append(&format!("{frame},1,0.1,{frame}.5\n")).unwrap();
    }
    drop(log);
    // A line that a power cut left in pieces.
    fs::write(&path, text() + "10,1,0.").unwrap();
    let mut log = resume(100).unwrap();
    log.append("12,1,0.1,7\n").unwrap();
    assert_eq!(text().lines().last(), Some("12,1,0.1,7"));
    assert_eq!(text().lines().count(), 6);
    let mut log = resume(5).unwrap();
    assert_eq!(text(), format!("{header}2,1,0.1,2.5\n4,1,0.1,4.5\n"));
    log.append("6,1,0.1,0\n").unwrap();
    assert_eq!((text().lines().count(), log.bytes()), (4, text().len() as u64));
    let other = Series::resume(&path, "frame,step,time,b\n", FrameColumn::CSV, 5);
    assert!(other.is_err_and(|error| error.to_string().contains("its values are not those")));
    fs::write(&path, format!("{header}what,is,this\n")).unwrap();
    assert!(resume(5).is_err_and(|error| error.to_string().contains("without a frame")));
    fs::remove_file(&path).unwrap();
    resume(5).unwrap();
    assert_eq!(text(), header);
    // JSON lines have no header.
    fs::write(&path, "{\"frame\": 1, \"a\": 1}\n{\"frame\": 2, \"a\": 1}\n").unwrap();
    Series::resume(&path, "", FrameColumn::JSON, 1).unwrap();
    assert_eq!(text(), "{\"frame\": 1, \"a\": 1}\n");
}

#[test]
fn full_disk_writes_no_partial_line() {
    let mount = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(mount.path())
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        crate::common::skip("a small tmpfs cannot be mounted here (that takes root)");
        return;
    }
    let path = mount.path().join("rows.csv");
    let line = format!("1,{}\n", "7".repeat(997));
    let mut log = Series::create(&path, "frame,a\n").unwrap();
    let mut lines = 0;
    let error = loop {
        match log.append(&line) {
            Ok(()) => lines += 1,
            Err(error) => break error.to_string(),
        }
        assert!(lines < 1000);
    };
    let text = fs::read_to_string(&path).unwrap();
    drop(log);
    let unmounted = Command::new("umount")
        .arg(mount.path())
        .status()
        .unwrap()
        .success();
    assert!(
        error.contains("rows.csv") && error.contains("full") && error.contains("--out"),
        "{error}"
    );
    assert_eq!(text, format!("frame,a\n{}", line.repeat(lines)));
    assert!(lines > 10 && unmounted);
}
