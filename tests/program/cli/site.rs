//! `sastrugi new --from drift_ridge`: drifting snow at another site.

use std::fs;
use std::path::{Path, PathBuf};

use sastrugi::elevation::{self, Model};

use super::{Ran, files, run, run_into};

/// An ESRI grid of 60 x 40 pixels of 20 m with a hill, two of them without data.
fn grid(directory: &Path) -> PathBuf {
    let path = directory.join("hill.asc");
    let mut text =
        "ncols 60\nnrows 40\nxllcorner 400000\nyllcorner 5200000\ncellsize 20\nnodata_value -9999\n"
            .to_string();
    for row in 0..40 {
        for column in 0..60 {
            let apart = [(column as f64 - 24.0) * 20.0, (row as f64 - 17.0) * 20.0];
            let hill = 50.0 * (-(apart[0].powi(2) + apart[1].powi(2)) / 2e4).exp();
            let is_gap = row == 5 && (10..12).contains(&column);
            let height = if is_gap {
                -9999.0
            } else {
                800.0 + 0.01 * column as f64 + hill
            };
            text.push_str(&format!("{height:.3}{}", if column == 59 { '\n' } else { ' ' }));
        }
    }
    fs::write(&path, text).unwrap();
    fs::write(
        path.with_extension("prj"),
        "PROJCS[\"local\",UNIT[\"Meter\",1.0]]",
    )
    .unwrap();
    path
}

fn new(directory: &Path, terrain: &Path, more: &[&str]) -> Ran {
    let [out, terrain] = [&directory.join("my"), terrain].map(|path| path.to_str().unwrap().to_string());
    run(&[
        &["new", &out, "--from", "drift_ridge", "--terrain", &terrain],
        more,
    ]
    .concat())
}

/// The terrain of a new pipeline, with enough cells that no pixels are averaged.
fn terrain(wind: &str) -> Model {
    let directory = tempfile::tempdir().unwrap();
    let path = grid(directory.path());
    let said = new(directory.path(), &path, &["--wind", wind, "--cells", "60"]).exits(0);
    said.says(&["2 of 2400 pixels had no data", "hill.json"]);
    elevation::read(&directory.path().join("my/terrain.tif")).unwrap()
}

/// The place of the highest pixel on the map.
fn summit(model: &Model) -> [f64; 2] {
    let highest = (0..model.levels.len()).max_by(|a, b| model.levels[*a].total_cmp(&model.levels[*b]));
    let width = model.header.size[0] as usize;
    let at = highest
        .map(|at| [(at % width) as f64, (at / width) as f64])
        .unwrap();
    let reference = model.header.georeference.as_ref().unwrap();
    reference.of_raster(at, [1.0; 2], true).tie
}

#[test]
fn wind_along_the_map_only_reorders_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let source = elevation::read(&grid(directory.path())).unwrap();
    let level = |model: &Model, column: usize, row: usize| {
        model.levels[row * model.header.size[0] as usize + column] as f32
    };
    // The first pixels of the first row and of the next one: upwind, to the left of the way of the wind.
    for (from, size, first, below) in [
        ("270", [60, 40], [0, 0], [0, 1]),
        ("90", [60, 40], [59, 39], [59, 38]),
        ("0", [40, 60], [59, 0], [58, 0]),
        ("360", [40, 60], [59, 0], [58, 0]),
        ("180", [40, 60], [0, 39], [1, 39]),
    ] {
        let found = terrain(&format!("12,{from}"));
        assert_eq!(found.header.size, size, "{from}");
        assert_eq!(level(&found, 0, 0), level(&source, first[0], first[1]), "{from}");
        assert_eq!(level(&found, 0, 1), level(&source, below[0], below[1]), "{from}");
        assert_eq!(summit(&found), summit(&source), "{from}");
        let heights = |model: &Model| {
            let mut heights: Vec<u32> = model
                .levels
                .iter()
                .map(|level| (*level as f32).to_bits())
                .collect();
            heights.sort_unstable();
            heights
        };
        assert_eq!(heights(&found), heights(&source), "{from}");
    }
}

#[test]
fn wind_across_the_map_keeps_the_hill_at_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let source = summit(&elevation::read(&grid(directory.path())).unwrap());
    for from in ["225", "280", "12.5"] {
        let found = terrain(&format!("12,{from}"));
        let apart = |[x, y]: [f64; 2]| (x - source[0]).hypot(y - source[1]);
        assert!(
            apart(summit(&found)) < 20.0,
            "{from}: {:?}, not {source:?}",
            summit(&found)
        );
        // Control: a frame whose y runs the other way.
        let mut wrong = found;
        let reference = wrong.header.georeference.as_mut().unwrap();
        let rows = (wrong.header.size[1] - 1) as f64;
        reference.tie = [0, 1].map(|axis| reference.tie[axis] + rows * reference.axes[1][axis]);
        reference.axes[1] = reference.axes[1].map(|way| -way);
        assert!(apart(summit(&wrong)) > 30.0, "{from}: control");
    }
}

/// Its maps are where the model is.
#[test]
fn a_new_site_runs() {
    let directory = tempfile::tempdir().unwrap();
    let path = grid(directory.path());
    let said = new(directory.path(), &path, &["--wind", "14,225", "--cells", "16"]).exits(0);
    said.says(&[
        "60 x 40 pixels, 1180 x 780 m",
        "m along the wind",
        "friction velocity 0.61 m/s",
    ]);
    let file = directory.path().join("my/hill.json");
    let out = directory.path().join("out");
    let more = [
        "--frames",
        "2",
        "--set",
        "draw.size=[160,90]",
        "--set",
        "outputs.elevation.every=2",
        "--set",
        "outputs.snow.every=2",
        "--set",
        "outputs.view.every=2",
    ];
    run_into(&out, file.to_str().unwrap(), &more).exits(0);
    let found = files(&out);
    let map = elevation::read(&out.join("elevation.0002.tif")).unwrap();
    let wanted = summit(&elevation::read(&path).unwrap());
    let [x, y] = summit(&map);
    // Half of the diagonal of a cell is 25 m.
    assert!(
        (x - wanted[0]).hypot(y - wanted[1]) < 40.0,
        "[{x}, {y}], not {wanted:?}"
    );
    assert!(map.header.georeference.unwrap().quarters().is_none());
    let log = String::from_utf8(found["log.csv"].clone()).unwrap();
    let column = |name: &str| -> Vec<f64> {
        let mut lines = log.lines().map(|line| line.split(','));
        let at = lines.next().unwrap().position(|key| key == name).unwrap();
        lines
            .map(|mut line| line.nth(at).unwrap().parse().unwrap())
            .collect()
    };
    let [ground, air, gone, come] = ["ground", "air", "gone", "come"].map(column);
    let balance: Vec<f64> = (0..ground.len())
        .map(|at| ground[at] + air[at] + gone[at] - come[at])
        .collect();
    assert!(balance.iter().all(|units| *units == balance[0]), "{balance:?}");
    assert!(ground.last() != ground.first() && column("fastest").iter().all(|speed| speed.is_finite()));
    // Text has no place for the rotation.
    run(&[
        "check",
        file.to_str().unwrap(),
        "--set",
        "outputs.snow.format=asc",
    ])
    .exits(2)
    .says(&["`snow` is an asc", "choose geotiff"]);
}

#[test]
fn winds_that_cannot_be_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = grid(directory.path());
    let refused = |more: &[&str], words: &[&str]| {
        new(directory.path(), &path, more).exits(2).says(words);
        assert!(!directory.path().join("my").exists());
    };
    refused(
        &[],
        &["`drift_ridge` on a terrain needs the wind", "--wind 12,270"],
    );
    refused(&["--wind", "12"], &["--wind <SPEED,FROM>", "not two numbers"]);
    refused(&["--wind", "12,west"], &["not two numbers"]);
    refused(&["--wind", "12,270,3"], &["not two numbers"]);
    refused(&["--wind", "12,400"], &["the direction 400 is not from 0 to 360"]);
    refused(&["--wind", "-3,270"], &["the speed -3 is not above 0"]);
    refused(
        &["--wind", "60,270"],
        &["a wind of 60 m/s is beyond what the pipeline computes: up to 34 m/s"],
    );
    let terrain = path.to_str().unwrap();
    let snow = [
        "new",
        "x",
        "--from",
        "snow",
        "--terrain",
        terrain,
        "--wind",
        "12,270",
    ];
    run(&snow)
        .exits(2)
        .says(&["the wind of `snow` has no direction", "--from drift_ridge"]);
    run(&["new", "x", "--from", "drift_ridge", "--wind", "12,270"])
        .exits(2)
        .says(&["--terrain"]);
}

#[test]
fn winds_and_models_that_need_care_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = grid(directory.path());
    let warned = |name: &str, more: &[&str]| {
        let directory = directory.path().join(name);
        fs::create_dir(&directory).unwrap();
        new(&directory, &path, &[more, &["--cells", "30"]].concat())
            .exits(0)
            .text()
    };
    let weak = warned("weak", &["--wind", "5,270"]);
    assert!(
        weak.contains("a wind of 5 m/s moves no snow of flat ground") && weak.contains("(5.8 m/s at 10 m)"),
        "{weak}"
    );
    let steep = warned("steep", &["--wind", "12,270", "--scale", "3"]);
    assert!(
        steep.contains("% of the ground are steeper than 20 degrees"),
        "{steep}"
    );
    let fine = warned("fine", &["--wind", "12,270"]);
    for words in ["moves no snow", "steeper", "no projection"] {
        assert!(!fine.contains(words), "control: {fine}");
    }
    fs::remove_file(path.with_extension("prj")).unwrap();
    let bare = warned("bare", &["--wind", "12,270"]);
    assert!(bare.contains("the model has no projection"), "{bare}");
    // Degrees: the frame along the wind is straight on the ground.
    let models = Path::new(crate::ROOT).join("tests/data/terrain");
    let other = directory.path().join("degrees");
    fs::create_dir(&other).unwrap();
    new(
        &other,
        &models.join("rmnp.tif"),
        &["--wind", "15,290", "--cells", "60"],
    )
    .exits(0)
    .says(&["152 x 187 pixels, 35275 x 43579 m", "steeper than 20 degrees"]);
    run(&[
        "check",
        other.join("my/rmnp.json").to_str().unwrap(),
        "--no-shaders",
    ])
    .exits(0);
}
