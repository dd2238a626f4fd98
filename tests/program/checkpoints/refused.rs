//! Checkpoints that cannot be used: each is refused with its reason, and the one before it is used.

use super::*;

/// A finished run with checkpoints after frames 4, 8 and 10.
fn ran(directory: &Path) {
    let arguments = [
        "run",
        TINY,
        "--quiet",
        "--frames",
        "10",
        "--set",
        "run.checkpoint_every=4",
        "--set",
        "run.checkpoints_kept=3",
        "--out",
    ];
    succeeds(sastrugi(&arguments).arg(directory));
    assert_eq!(
        checkpoints(directory),
        ["0004.checkpoint", "0008.checkpoint", "0010.checkpoint"]
    );
}

/// Output of the program, on one line.
fn says(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).replace(['│', '╭', '╰', '─'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn damaged_checkpoint_falls_back_to_the_previous_one() {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("run");
    ran(&directory);
    let expected = frames(&directory);
    let newest = directory.join("checkpoints/0010.checkpoint");
    let mut bytes = std::fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&newest, &bytes).unwrap();
    std::fs::write(directory.join("checkpoints/0012.checkpoint"), b"what is this").unwrap();
    for frame in 9..=10 {
        std::fs::remove_file(directory.join(format!("view.{frame:04}.png"))).unwrap();
    }
    let output = succeeds(sastrugi(&["run", "--resume"]).arg(&directory));
    let text = says(&output);
    assert!(
        text.contains("0012.checkpoint is refused: it is not a checkpoint"),
        "{text}"
    );
    assert!(
        text.contains("0010.checkpoint is refused: its checksum is wrong"),
        "{text}"
    );
    assert!(
        !text.contains("last bits"),
        "the device is still this one: {text}"
    );
    assert!(frames(&directory) == expected);
    assert_eq!(
        checkpoints(&directory),
        ["0004.checkpoint", "0008.checkpoint", "0010.checkpoint"]
    );
}

#[test]
fn checkpoint_of_another_run_is_refused() {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("run");
    ran(&directory);
    let resolved = directory.join("resolved.json");
    let text = std::fs::read_to_string(&resolved).unwrap();
    let changed = text.replace("\"rate\": 0.1", "\"rate\": 0.2");
    assert_ne!(changed, text);
    std::fs::write(&resolved, changed).unwrap();
    let output = sastrugi(&["run", "--resume"]).arg(&directory).output().unwrap();
    let told = says(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("the pipeline or its parameters have changed"),
        "{told}"
    );
    assert!(
        told.contains("no checkpoint in") && told.contains("can be used"),
        "{told}"
    );
    // There are checkpoints: to have some is no remedy.
    assert!(
        told.contains("take back what has changed") && !told.contains("--checkpoint"),
        "{told}"
    );
    // Another kernel for one stage, as an editor leaves it.
    let shader = Path::new(crate::ROOT).join("tests/data/tiny/spread.comp");
    let kernel = std::fs::read_to_string(&shader).unwrap();
    let own = root.path().join("spread.comp");
    std::fs::write(&own, kernel.replacen("arg.rate", "0.5 * arg.rate", 1)).unwrap();
    let shader = shader.canonicalize().unwrap();
    std::fs::write(
        &resolved,
        text.replace(shader.to_str().unwrap(), own.to_str().unwrap()),
    )
    .unwrap();
    let told = says(&sastrugi(&["run", "--resume"]).arg(&directory).output().unwrap());
    assert!(
        told.contains("the shader of stage `spread` has changed"),
        "{told}"
    );
    // As it was, it goes on; what is beside the state may differ.
    let fewer = text.replace("\"every\": 2", "\"every\": 5");
    assert_ne!(fewer, text);
    std::fs::write(&resolved, fewer).unwrap();
    succeeds(sastrugi(&["run", "--quiet", "--frames", "11", "--resume"]).arg(&directory));
}

#[test]
fn run_without_checkpoints_cannot_resume() {
    if !device::is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("run");
    succeeds(sastrugi(&["run", TINY, "--quiet", "--frames", "1", "--out"]).arg(&directory));
    let output = sastrugi(&["run", "--resume"]).arg(&directory).output().unwrap();
    let told = says(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("there is no checkpoint in") && told.contains("--checkpoint"),
        "{told}"
    );
    let output = sastrugi(&["run", "--resume", "nowhere"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        says(&output).contains("nowhere/resolved.json"),
        "{}",
        says(&output)
    );
}
