//! The snow pipeline, cut down: whatever way its air is paged, the same frames.

use super::*;

const SMALL: [&str; 7] = [
    "grids.air.cells=[48, 50, 16]",
    "grids.air.cell_size=23",
    "flakes.count=4096",
    "grids.ground.vertices=[128, 128]",
    "draw.size=[48, 27]",
    "run.steps_per_frame=9",
    "air.layers_above=40",
];

/// The npy and PNG files of two frames, by name.
fn frames(paging: &str, wind: &str) -> BTreeMap<String, Vec<u8>> {
    let directory = tempfile::tempdir().unwrap();
    let root = crate::common::simulation::root();
    let mut command = common::start();
    command
        .current_dir(root)
        .args(["run", "pipelines/snow.json", "--quiet", "--frames", "2"]);
    let own = [
        format!("grids.air.sparse.paging={paging}"),
        format!("wind.period={wind}"),
    ];
    let outputs = ["u", "w", "pressure", "faces", "snow"].map(|name| format!("outputs.{name}.every=2"));
    for set in SMALL.iter().map(|set| set.to_string()).chain(own).chain(outputs) {
        command.args(["--set", &set]);
    }
    let output = command.arg("--out").arg(directory.path()).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let files = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let frames = files.filter(|path| path.extension().is_some_and(|ending| ending != "json"));
    frames
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read(path).unwrap(),
            )
        })
        .collect()
}

#[test]
#[ignore = "long: five runs of snow"]
fn snow_frames_are_independent_of_paging() {
    let Some(gpu) = common::gpu() else { return };
    let dense = frames("dense", "48");
    assert!(
        dense.contains_key("view.0002.png") && dense.contains_key("pressure.0002.npy"),
        "{:?}",
        dense.keys()
    );
    for paging in pagings(&gpu) {
        assert!(frames(paging, "48") == dense, "{paging}");
    }
    // Control: another wind.
    assert!(frames("dense", "0.5") != dense);
}
