//! Maps: geotiff and asc of height fields on elevation models that GDAL wrote, read back by GDAL.

mod areas;
mod turned;
mod types;

use serde_json::{Value, json};

use super::*;

const MODELS: [&str; 9] = [
    "area.tif",
    "point.tif",
    "conic.tif",
    "degrees.tif",
    "feet.tif",
    "bare.tif",
    "text.asc",
    "conic.asc",
    "degrees.asc",
];

/// A pipeline without stages on a model: fields of vertices on it, and of cells in metres from its south-west vertex.
fn pipeline(model: &str) -> Value {
    let raster = |source: &str, format: &str| json!({"source": source, "format": format});
    let mut outputs = json!({
        "elevation": raster("ground.elevation", "geotiff"),
        "snow": raster("ground.snow", "geotiff"),
        "depth": raster("ground.snow", "geotiff"),
        "part": raster("ground.snow", "geotiff"),
        "wind": raster("sky.wind.y", "geotiff"),
        "elevation_text": raster("ground.elevation", "asc"),
        "change_text": raster("ground.change", "asc"),
        "depth_text": raster("ground.snow", "asc"),
        "layer_text": raster("air.heat", "asc"),
    });
    outputs["depth"]["scale"] = json!("unit");
    outputs["depth"]["compression"] = json!("best");
    outputs["depth_text"]["scale"] = json!("unit");
    outputs["snow"]["compression"] = json!("none");
    outputs["part"]["stride"] = json!(2);
    outputs["part"]["region"] = json!([[0.001, 0.001], [1e6, 1e6]]);
    outputs["layer_text"]["region"] = json!([[-1, -1, 2], [1e3, 1e3, 4]]);
    json!({
        "title": "Maps",
        "run": {"dt": 1, "steps_per_frame": 1, "frames": 1},
        "parameters": {"unit": 0.001},
        "grids": {
            "ground": {"vertices": [7, 5], "channels": {
                "elevation": {"type": "float", "values": {"file": model}},
                "snow": {"type": "uint", "values": "4e9 + 5 * i"},
                "change": {"type": "int", "values": "3 * i - 17"}}},
            "sky": {"cells": [4, 3], "cell_size": 5, "origin": [8, 4],
                "channels": {"wind": {"type": "vec2", "values": ["0", "i / 3"]}}},
            "air": {"cells": [4, 3, 2], "cell_size": 2, "origin": [8, 4, 0],
                "channels": {"heat": {"type": "float", "values": "1e-7 * i"}}},
        },
        "outputs": outputs,
    })
}

/// The messages of a check of the pipeline.
fn notes(directory: &Path, model: &str) -> String {
    let file = directory.join(format!("{model}.json"));
    fs::write(&file, pipeline(model).to_string()).unwrap();
    let mut command = crate::start();
    let output = command.arg("check").arg(file).output().unwrap();
    assert!(output.status.success());
    let [text, error] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    text.into_owned() + &error
}

/// Runs the pipeline on a model in its directory; the output directory.
fn run_on(directory: &Path, model: &str, more: &[&str]) -> PathBuf {
    let file = directory.join(format!("{model}.json"));
    fs::write(&file, pipeline(model).to_string()).unwrap();
    let out = directory.join(format!("{model}.{}.out", more.len()));
    succeed(&mut program(file.to_str().unwrap(), &out, more));
    out
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
}

fn models() -> Option<tempfile::TempDir> {
    if !device::is_here() || !has_module("osgeo.gdal") {
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = Path::new(crate::ROOT).join("tests/data/readers/gdal_models.py");
    succeed(Command::new(PYTHON).arg(script).arg(directory.path()));
    Some(directory)
}

fn maps(files: &[PathBuf]) -> Vec<Value> {
    read("gdal_rasters.py", files).unwrap()
}

/// The properties of a map that say where it is.
fn place(map: &Value, without: &[&str]) -> Value {
    let keys = ["transform", "point", "no_data", "system", "code"];
    let keys = keys.iter().filter(|key| !without.contains(key));
    keys.map(|key| ((*key).to_owned(), map[key].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Values with the north row first, by the column and the row from the south.
fn north_first(size: [i64; 2], value: impl Fn(i64, i64) -> f64) -> Value {
    let row = |y: i64| (0..size[0]).map(|x| value(x, y)).collect::<Vec<f64>>();
    json!((0..size[1]).rev().map(row).collect::<Vec<_>>())
}

fn same(wanted: &Value, got: &Value, what: &str) {
    assert_eq!(difference(wanted, got), None, "{what}");
}

fn same_transform(wanted: [f64; 6], got: &Value, what: &str) {
    for (at, wanted) in wanted.iter().enumerate() {
        let got = got["transform"][at].as_f64().unwrap();
        assert!(
            (got - wanted).abs() < 1e-8 * wanted.abs().max(1e-3),
            "{what}: {got}, not {wanted}"
        );
    }
}

fn snow(at: i64) -> f64 {
    4e9 + 5.0 * at as f64
}

fn depth(at: i64) -> f64 {
    f64::from((snow(at) * 0.001) as f32)
}

#[test]
fn maps_have_the_values_positions_and_projections_of_their_models() {
    check_maps(&["area.tif", "degrees.asc"]);
}

#[test]
#[ignore = "long: nine models"]
fn maps_of_any_model_have_its_values_position_and_projection() {
    check_maps(&MODELS);
}

fn check_maps(names: &[&str]) {
    let Some(directory) = models() else { return };
    for &model in names {
        let out = run_on(directory.path(), model, &[]);
        let file = |name: &str| out.join(format!("{name}.0001.tif"));
        let files = [
            directory.path().join(model),
            file("elevation"),
            file("snow"),
            file("depth"),
        ];
        let [source, elevation, snow_map, depth_map] = <[Value; 4]>::try_from(maps(&files)).unwrap();
        // ASCII grids have no code, but their files of text may have one.
        let without = if model.ends_with("asc") {
            &["code"][..]
        } else {
            &[]
        };
        let wanted = place(&source, without);
        for (name, map) in [
            ("elevation", &elevation),
            ("snow", &snow_map),
            ("depth", &depth_map),
        ] {
            same(&wanted, &place(map, without), &format!("{name} on {model}"));
            assert_eq!(
                [&map["driver"], &map["bands"], &map["unit"]],
                [&json!("GTiff"), &json!(1), &json!("")]
            );
        }
        let moved = read("gdal_rasters.py", &["--shift".into(), files[1].clone()]).unwrap();
        assert!(
            difference(&wanted, &place(&moved[0], without)).is_some(),
            "control: a shifted tie point"
        );
        let types = [&elevation, &snow_map, &depth_map].map(|map| map["type"].as_str().unwrap());
        assert_eq!(types, ["Float32", "UInt32", "Float32"]);
        same(
            &north_first([7, 5], |x, y| snow(x + 7 * y)),
            &snow_map["values"],
            model,
        );
        same(
            &north_first([7, 5], |x, y| depth(x + 7 * y)),
            &depth_map["values"],
            model,
        );
        let heights = north_first([7, 5], |x, y| match (x, y) {
            // The pixel without data is the mean of its neighbours.
            (3, 2) => 123.0,
            _ => (100 + x + 10 * (4 - y)) as f64,
        });
        same(&heights, &elevation["values"], model);
        let south_first = north_first([7, 5], |x, y| snow(x + 7 * (4 - y)));
        assert!(
            difference(&south_first, &snow_map["values"]).is_some(),
            "control: the south row first"
        );
    }
}

#[test]
fn ascii_maps_have_the_values_and_positions_of_their_models() {
    check_ascii_maps(&["conic.asc", "point.tif"]);
}

#[test]
#[ignore = "long: five models"]
fn ascii_maps_of_any_model_have_its_values_and_position() {
    check_ascii_maps(&["text.asc", "conic.asc", "degrees.asc", "area.tif", "point.tif"]);
}

fn check_ascii_maps(names: &[&str]) {
    let Some(directory) = models() else { return };
    for &model in names {
        let out = run_on(directory.path(), model, &[]);
        let warnings = notes(directory.path(), model);
        let files =
            ["elevation_text", "change_text", "depth_text"].map(|name| out.join(format!("{name}.0001.asc")));
        let source = maps(&[directory.path().join(model)]).remove(0);
        let [elevation, change, depth_map] = <[Value; 3]>::try_from(maps(&files)).unwrap();
        let from_text = model.ends_with("asc");
        // ESRI's format has no place for points or areas of GeoTIFF, but its corners and centres are read as one.
        let without = if from_text {
            &["code"][..]
        } else {
            &["transform", "point", "system", "code"]
        };
        same(&place(&source, without), &place(&elevation, without), model);
        let transform: [f64; 6] = serde_json::from_value(source["transform"].clone()).unwrap();
        same_transform(transform, &elevation, model);
        same(
            &north_first([7, 5], |x, y| (3 * (x + 7 * y) - 17) as f64),
            &change["values"],
            model,
        );
        same(
            &north_first([7, 5], |x, y| depth(x + 7 * y)),
            &depth_map["values"],
            model,
        );
        assert_eq!([&change["type"], &depth_map["type"]], ["Int32", "Float32"]);
        let prj = files[0].with_extension("prj");
        assert_eq!(prj.exists(), from_text);
        assert_eq!(
            warnings.contains("GeoKeys, for which asc has no place"),
            !from_text,
            "{warnings}"
        );
        if from_text {
            let given = directory.path().join(model).with_extension("prj");
            assert_eq!(fs::read(prj).unwrap(), fs::read(given).unwrap());
        }
        let text = fs::read_to_string(&files[0]).unwrap();
        assert_eq!(text.contains("xllcenter"), model == "point.tif", "{text}");
    }
}

#[test]
fn resampled_cropped_and_other_lattices_are_where_their_elements_are() {
    let Some(directory) = models() else { return };
    let [x0, y0, width, height] = [400_000.1, 5_200_000.7, 10.3, 10.7];
    for model in ["area.tif", "point.tif"] {
        // Every second interval of vertices is one of pixels: corners are a quarter of a pixel further in.
        let out = run_on(
            directory.path(),
            model,
            &["--set", "grids.ground.vertices=[13, 9]"],
        );
        let file = |name: &str, end: &str| out.join(format!("{name}.0001.{end}"));
        let read = maps(&[
            file("snow", "tif"),
            file("part", "tif"),
            file("wind", "tif"),
            file("layer_text", "asc"),
        ]);
        let [snow_map, part, wind, layer] = <[Value; 4]>::try_from(read).unwrap();
        let (dx, dy) = (0.5 * width, 0.5 * height);
        let wanted = [x0 + 0.5 * dx, dx, 0.0, y0 - 0.5 * dy, 0.0, -dy];
        same_transform(wanted, &snow_map, model);
        same(
            &north_first([13, 9], |x, y| snow(x + 13 * y)),
            &snow_map["values"],
            model,
        );
        // Columns 1, 3 ... 11 and rows 1, 3, 5, 7 from the south; pixels of two vertices around each.
        let (west, north) = (x0 + 0.5 * width + dx, y0 - 0.5 * height - dy);
        let wanted = [west - dx, 2.0 * dx, 0.0, north + dy, 0.0, -2.0 * dy];
        same_transform(wanted, &part, model);
        same(
            &north_first([6, 4], |x, y| snow(2 * x + 1 + 13 * (2 * y + 1))),
            &part["values"],
            model,
        );
        // Metres from the south-west vertex, which is the centre of a pixel.
        let (east, north) = (x0 + 0.5 * width + 8.0, y0 - 4.5 * height + 4.0);
        same_transform([east, 5.0, 0.0, north + 15.0, 0.0, -5.0], &wind, model);
        same(
            &north_first([4, 3], |x, y| f64::from(((x + 4 * y) as f64 / 3.0) as f32)),
            &wind["values"],
            model,
        );
        assert_eq!(wind["point"], false, "cells are areas");
        same_transform([east, 2.0, 0.0, north + 6.0, 0.0, -2.0], &layer, model);
        let heat = |x: i64, y: i64| f64::from((1e-7 * (12 + x + 4 * y) as f64) as f32);
        same(&north_first([4, 3], heat), &layer["values"], model);
    }
}

#[test]
fn maps_without_a_model_are_in_local_metres() {
    let Some(directory) = models() else { return };
    let mut spec = pipeline("area.tif");
    spec["grids"]["ground"] = json!({"vertices": [7, 5], "cell_size": 3, "origin": [20, 30], "channels": {
        "elevation": {"type": "float", "values": "x"}, "snow": {"type": "uint", "values": "i"},
        "change": {"type": "int", "values": "i"}}});
    let file = directory.path().join("local.json");
    fs::write(&file, spec.to_string()).unwrap();
    let out = directory.path().join("local");
    succeed(&mut program(file.to_str().unwrap(), &out, &[]));
    let map = maps(&[out.join("elevation.0001.tif")]).remove(0);
    same(
        &json!({"transform": [18.5, 3, 0, 43.5, 0, -3], "point": true, "no_data": null}),
        &place(&map, &["system", "code"]),
        "local",
    );
    assert!(map["system"].as_str().unwrap().contains("local"), "{map}");
    same(
        &north_first([7, 5], |x, _| (20 + 3 * x) as f64),
        &map["values"],
        "local",
    );
}

#[test]
fn models_without_a_place_or_projection_are_reported() {
    let Some(directory) = models() else { return };
    let text = notes(directory.path(), "bare.tif");
    assert!(
        text.contains("warning: `elevation`: bare.tif has no projection"),
        "{text}"
    );
    let text = notes(directory.path(), "area.tif");
    assert!(!text.contains("`elevation`:"), "control: {text}");
}
