//! Elevation models: `sastrugi new --terrain`, and pipelines that name them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tiff::encoder::{TiffEncoder, colortype};
use tiff::tags::Tag;

use super::{Ran, files, run, run_into};

/// A ridge of 300 m that runs from west to east, with a peak.
fn height(x: f64, y: f64) -> f64 {
    let ridge = 300.0 * (-((y - 0.6) / 0.15).powi(2)).exp();
    800.0 + ridge * (0.6 + 0.4 * (-((x - 0.4) / 0.2).powi(2)).exp())
}

fn heights(width: usize, rows: usize) -> Vec<f32> {
    let of = |at: usize| {
        let (x, y) = (
            (at % width) as f64 / width as f64,
            1.0 - (at / width) as f64 / rows as f64,
        );
        height(x, y) as f32
    };
    (0..width * rows).map(of).collect()
}

/// An ESRI grid with pixels of 50 m, three of them without data.
fn grid(directory: &Path, width: usize, rows: usize) -> PathBuf {
    let path = directory.join("ridge.asc");
    let mut text =
        format!("ncols {width}\nnrows {rows}\nxllcorner 0\nyllcorner 5e6\ncellsize 50\nnodata_value -9999\n");
    for (at, height) in heights(width, rows).iter().enumerate() {
        let height = if (70..73).contains(&at) { -9999.0 } else { *height };
        text.push_str(&format!(
            "{height:.2}{}",
            if at % width == width - 1 { '\n' } else { ' ' }
        ));
    }
    fs::write(&path, text).unwrap();
    path
}

/// A GeoTIFF with this transformation from pixels to the map.
fn geotiff(directory: &Path, width: u32, rows: u32, [a, b, d]: [f64; 3]) -> PathBuf {
    let path = directory.join("my ridge.tif");
    let mut encoder = TiffEncoder::new(File::create(&path).unwrap()).unwrap();
    let mut image = encoder.new_image::<colortype::Gray32Float>(width, rows).unwrap();
    let matrix = [
        a, b, 0.0, 4e5, b, d, 0.0, 5e6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    let keys: [u16; 8] = [1, 1, 0, 1, 1024, 0, 1, 1];
    image
        .encoder()
        .write_tag(Tag::ModelTransformationTag, &matrix[..])
        .unwrap();
    image
        .encoder()
        .write_tag(Tag::GeoKeyDirectoryTag, &keys[..])
        .unwrap();
    image.write_data(&heights(width as usize, rows as usize)).unwrap();
    path
}

/// A grey PNG with levels of 8 bits.
fn png(directory: &Path, width: u32, rows: u32) -> PathBuf {
    let path = directory.join("hills.png");
    let mut encoder = png::Encoder::new(File::create(&path).unwrap(), width, rows);
    encoder.set_color(png::ColorType::Grayscale);
    let levels = heights(width as usize, rows as usize);
    let bytes: Vec<u8> = levels
        .iter()
        .map(|height| ((height - 800.0) / 2.0) as u8)
        .collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
    path
}

fn new(directory: &Path, terrain: &Path, more: &[&str]) -> Ran {
    let [out, terrain] = [&directory.join("my"), terrain].map(|path| path.to_str().unwrap().to_string());
    run(&[&["new", &out, "--from", "snow", "--terrain", &terrain], more].concat())
}

/// Runs two frames of it; the picture is not of one color, and flakes landed on the terrain.
fn runs(directory: &Path, pipeline: &str) {
    let file = directory.join("my").join(pipeline);
    let out = directory.join("out");
    let more = ["--frames", "10", "--set", "draw.size=[160,90]"];
    run_into(&out, file.to_str().unwrap(), &more).exits(0);
    let found = files(&out);
    let mut reader = png::Decoder::new(std::io::Cursor::new(&found["view.0010.png"]))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let colors: std::collections::HashSet<&[u8]> = pixels.chunks(4).collect();
    assert!(colors.len() > 500, "{} colors", colors.len());
    let snow = &found["snow.0010.npy"];
    let header = 10 + usize::from(u16::from_le_bytes([snow[8], snow[9]]));
    let fallen = snow[header..].chunks(4).filter(|depth| depth != &[0; 4]).count();
    assert!(fallen > 100, "snow on {fallen} vertices");
}

/// Its kernels compile, and its sizes fit.
fn is_valid(directory: &Path, pipeline: &str) {
    let file = directory.join("my").join(pipeline);
    run(&["check", file.to_str().unwrap()]).exits(0);
}

#[test]
#[ignore = "long: another scene"]
fn new_scene_from_an_ascii_grid_runs() {
    let directory = tempfile::tempdir().unwrap();
    let path = grid(directory.path(), 60, 40);
    let said = new(directory.path(), &path, &["--cells", "24"]).exits(0);
    let said = said.says(&["3 of 2400 pixels had no data", "60 x 40 pixels, 2950 x 1950 m"]);
    said.says(&["heights from 800.0 to 1100.", "sastrugi run", "ridge.json"]);
    runs(directory.path(), "ridge.json");
}

#[test]
fn new_scene_from_a_geotiff_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    let path = geotiff(directory.path(), 100, 140, [8.0, 0.0, -12.0]);
    let said = new(directory.path(), &path, &["--cells", "24"]).exits(0);
    said.says(&["100 x 140 pixels, 792 x 1668 m", "my_ridge.json"]);
    is_valid(directory.path(), "my_ridge.json");
    // Its maps are where the model is: blocks of pixels have its outer corner.
    let whole = sastrugi::elevation::examine(&path).unwrap();
    let resampled = sastrugi::elevation::examine(&directory.path().join("my/terrain.tif")).unwrap();
    let times = whole.size[0] / resampled.size[0];
    let [whole, resampled] = [whole, resampled].map(|header| header.georeference.unwrap());
    assert!(times > 1);
    assert_eq!(resampled.tie, whole.tie);
    assert_eq!(
        resampled.sides().unwrap()[0],
        whole.sides().unwrap()[0] * times as f64
    );
    assert_eq!(resampled.projection, whole.projection);
}

#[test]
fn new_scenes_have_the_size_of_real_models() {
    let directory = tempfile::tempdir().unwrap();
    let models = Path::new(crate::ROOT).join("tests/data/terrain");
    let said = new(directory.path(), &models.join("rmnp.tif"), &["--cells", "24"]).exits(0);
    said.says(&[
        "152 x 187 pixels, 35275 x 43579 m",
        "heights from 2281.0 to 4261.0 m",
    ]);
    let other = tempfile::tempdir().unwrap();
    let said = new(other.path(), &models.join("hugo_site.asc"), &["--cells", "24"]).exits(0);
    said.says(&[
        "2028 of 4180 pixels had no data",
        "750 x 540 m",
        "heights from 1660.0 to 1711.0 m",
    ]);
    runs(other.path(), "hugo_site.json");
}

#[test]
fn new_scene_from_a_picture_with_given_size_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    let path = png(directory.path(), 40, 30);
    let refused = new(directory.path(), &path, &[]).exits(2);
    refused.says(&["it does not say how large it is", "--extent 5000,4000"]);
    let refused = new(directory.path(), &path, &["--extent", "2000"]).exits(2);
    refused.says(&["how high a level is", "--scale 0.1"]);
    let said = new(
        directory.path(),
        &path,
        &["--extent", "2000,1500", "--scale", "2", "--cells", "24"],
    );
    said.exits(0)
        .says(&["40 x 30 pixels, 2000 x 1500 m, heights from 0.0 to"]);
    is_valid(directory.path(), "hills.json");
}

#[test]
fn new_scene_from_the_shipped_terrain_equals_the_shipped_scene() {
    let directory = tempfile::tempdir().unwrap();
    let path = Path::new("pipelines/assets/jacksboro_dem.png");
    new(
        directory.path(),
        path,
        &["--extent", "1125.6,1200.5", "--scale", "0.08"],
    )
    .exits(0);
    let file = directory.path().join("my/jacksboro_dem.json");
    let text = fs::read_to_string(&file).unwrap();
    let numbers = |key: &str| -> Vec<f64> {
        let rest = text
            .split(key)
            .nth(1)
            .unwrap_or_else(|| panic!("no {key} in {text}"));
        let list = rest.split([']', '}', '/']).next().unwrap();
        list.split(',')
            .map(|number| number.trim().parse().unwrap())
            .collect()
    };
    let near = |key: &str, shipped: &[f64], within: f64| {
        let found = numbers(key);
        assert_eq!(found.len(), shipped.len(), "{key}");
        let close = |(found, shipped): (&f64, &f64)| (found / shipped - 1.0).abs() < within;
        assert!(
            found.iter().zip(shipped).all(close),
            "{key} {found:?} is not near {shipped:?}"
        );
    };
    near("\"cells\": [", &[160.0, 170.0, 24.0], 0.01);
    near("\"vertices\": [", &[512.0, 512.0], 0.05);
    near("\"flakes\": {\"count\": ", &[262_144.0], 0.01);
    near("\"dt\": \"", &[7.0], 0.01);
    near("\"period\": ", &[48.0], 0.01);
    // No more than there, so that memory is the same.
    assert!(numbers("\"cells\": [").iter().product::<f64>() <= 160.0 * 170.0 * 24.0);
    assert!(numbers("\"vertices\": [").iter().product::<f64>() <= 512.0 * 512.0);
    run(&["check", file.to_str().unwrap(), "--no-shaders"]).exits(0);
}

#[test]
fn invalid_terrains_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let refused = |terrain: &Path, more: &[&str], words: &[&str]| {
        new(path, terrain, more).exits(2).says(words);
        assert!(!path.join("my").exists());
    };
    let text = path.join("notes.txt");
    fs::write(&text, "no heights").unwrap();
    refused(&text, &[], &["it is no elevation model"]);
    refused(&path.join("none.tif"), &[], &["No such file"]);
    refused(&geotiff(path, 20, 20, [8.0, 2.0, -6.0]), &[], &["it is sheared"]);
    refused(&geotiff(path, 20, 20, [8.0, 0.0, 8.0]), &[], &["it is mirrored"]);
    refused(
        &geotiff(path, 20, 10, [8.0, 0.0, -8.0]),
        &[],
        &["20 x 10 pixels are too few"],
    );
    let tiff = geotiff(path, 20, 20, [8.0, 0.0, -8.0]);
    refused(&tiff, &[], &["its relief of", "--extent"]);
    refused(&tiff, &["--scale", "1e-6"], &["it is flat"]);
    refused(&tiff, &["--scale", "nan"], &["positive numbers"]);
    let refused = run(&[
        "new",
        "x",
        "--from",
        "fluids",
        "--terrain",
        tiff.to_str().unwrap(),
    ])
    .exits(2);
    refused.says(&[
        "`fluids` does not take a terrain",
        "--from snow or --from drift_ridge",
    ]);
    let gaps = path.join("gaps.asc");
    let rows = "-9999 ".repeat(300) + &"5 ".repeat(100);
    fs::write(&gaps, format!("ncols 20\nnrows 20\ncellsize 1\n{rows}\n")).unwrap();
    new(path, &gaps, &[])
        .exits(2)
        .says(&["300 of its pixels (75 %) have no data"]);
}

#[test]
fn pipeline_takes_its_sizes_from_an_elevation_model() {
    let directory = tempfile::tempdir().unwrap();
    grid(directory.path(), 60, 40);
    let text = r#"{
        "title": "Ground", "run": {"dt": 1, "steps_per_frame": 1, "frames": 1},
        "step": [],
        "grids": {"ground": {"channels": {"elevation": {"type": "float", "values": {"file": "ridge.asc"}}}}},
        "buffers": {"size": {"type": "float", "values": ["ground.dx", "ground.dy"]}},
        "outputs": {"range": {"format": "csv", "values": {
            "low": "min(ground.elevation)", "high": "max(ground.elevation)", "dx": "size[0]"}}}
    }"#;
    let file = directory.path().join("ground.json");
    fs::write(&file, text).unwrap();
    let out = directory.path().join("out");
    let arguments = ["run", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
    run(&arguments)
        .exits(0)
        .says(&["3 pixels had no data and were filled from their neighbours"]);
    let lines = fs::read_to_string(out.join("range.csv")).unwrap();
    let values: Vec<f64> = lines
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .map(|v| v.parse().unwrap())
        .collect();
    assert!(
        (values[3] - 800.0).abs() < 0.1 && values[4] > 1080.0 && values[5] == 50.0,
        "{values:?}"
    );
    png(directory.path(), 20, 20);
    fs::write(&file, text.replace("ridge.asc", "hills.png")).unwrap();
    let refused = run(&["check", file.to_str().unwrap()]).exits(2);
    refused.says(&[
        "`hills.png` does not contain the distance of its pixels",
        "add `metres_per_pixel`",
    ]);
}
