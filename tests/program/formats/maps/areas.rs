//! Areas from GeoJSON, beside those that GDAL burns.

use serde_json::{Value, json};

use super::*;

/// GeoJSON with two polygons, one with a hole, whose corners are in pixels of a map; and its EPSG code, if it has one. No
/// edge runs through a vertex, where rounding would decide.
fn polygons(map: &Value, code: Option<&str>) -> String {
    let [x, width, _, y, _, height]: [f64; 6] = serde_json::from_value(map["transform"].clone()).unwrap();
    let ring = |corners: &[[f64; 2]]| -> Value {
        let point = |[column, row]: &[f64; 2]| json!([x + column * width, y + row * height]);
        corners.iter().chain(&corners[..1]).map(point).collect()
    };
    let outer = ring(&[[0.31, 0.43], [5.9, 0.2], [6.8, 4.7], [3.1, 4.9], [2.4, 2.2]]);
    let hole = ring(&[[3.7, 1.8], [5.4, 1.9], [4.9, 3.3]]);
    let small = ring(&[[0.2, 3.1], [1.8, 3.2], [0.9, 4.9]]);
    let feature = |rings: Value| json!({"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": rings}});
    let mut file = json!({"type": "FeatureCollection", "features": [feature(json!([outer, hole])), feature(json!([small]))]});
    if let Some(code) = code {
        let name = format!("urn:ogc:def:crs:EPSG::{code}");
        file["crs"] = json!({"type": "name", "properties": {"name": name}});
    }
    file.to_string()
}

/// The pipeline with a channel of marks.
fn marked(model: &str) -> Value {
    let mut spec = pipeline(model);
    spec["grids"]["ground"]["channels"]["release"] =
        json!({"type": "uint", "values": {"polygon": "release.geojson"}});
    spec["outputs"] = json!({"release": {"source": "ground.release", "format": "geotiff"}});
    spec
}

#[test]
fn areas_mark_the_vertices_that_gdal_marks() {
    check_marks(&["degrees.tif"]);
}

#[test]
#[ignore = "long: five models"]
fn areas_on_any_model_mark_the_vertices_that_gdal_marks() {
    check_marks(&["area.tif", "point.tif", "degrees.tif", "text.asc", "bare.tif"]);
}

fn check_marks(names: &[&str]) {
    let Some(directory) = models() else { return };
    let path = directory.path().join("release.geojson");
    for &model in names {
        let model_file = directory.path().join(model);
        let map = maps(std::slice::from_ref(&model_file)).remove(0);
        fs::write(&path, polygons(&map, map["code"].as_str())).unwrap();
        let file = directory.path().join(format!("{model}.marked.json"));
        fs::write(&file, marked(model).to_string()).unwrap();
        for vertices in ["[7, 5]", "[13, 9]"] {
            let out = directory.path().join(format!("{model}{vertices}"));
            let more = ["--set", &format!("grids.ground.vertices={vertices}")];
            let output = program(file.to_str().unwrap(), &out, &more).output().unwrap();
            assert!(
                output.status.success(),
                "{model}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let raster = out.join("release.0001.tif");
            let found = maps(std::slice::from_ref(&raster)).remove(0);
            let wanted = read("gdal_areas.py", &[raster, path.clone()]).unwrap().remove(0);
            same(&wanted["values"], &found["values"], model);
            let marks = found["values"].to_string().matches('1').count();
            assert!(marks > 10, "{model}: {marks} marks");
        }
        // Control: half a pixel aside.
        let mut moved = map.clone();
        moved["transform"][0] =
            json!(map["transform"][0].as_f64().unwrap() + 0.5 * map["transform"][1].as_f64().unwrap());
        let aside = directory.path().join("aside.geojson");
        fs::write(&aside, polygons(&moved, None)).unwrap();
        let raster = directory.path().join(format!("{model}[13, 9]/release.0001.tif"));
        let found = maps(std::slice::from_ref(&raster)).remove(0);
        let other = read("gdal_areas.py", &[raster, aside]).unwrap().remove(0);
        assert!(
            difference(&other["values"], &found["values"]).is_some(),
            "control: {model}"
        );
    }
}

#[test]
fn areas_elsewhere_are_refused() {
    let Some(directory) = models() else { return };
    let path = directory.path().join("release.geojson");
    let map = maps(&[directory.path().join("area.tif")]).remove(0);
    let file = directory.path().join("marked.json");
    fs::write(&file, marked("area.tif").to_string()).unwrap();
    let refused = |text: String, words: &str| {
        fs::write(&path, text).unwrap();
        let output = crate::start().arg("check").arg(&file).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).replace("\n       │", "");
        assert!(!output.status.success() && error.contains(words), "{error}");
    };
    refused(
        polygons(&map, Some("4326")),
        "the coordinates of `release.geojson` are EPSG:4326, those of `area.tif` EPSG:32633",
    );
    let degrees = json!({"transform": [13.5, 0.001, 0, 47.2, 0, -0.001]});
    refused(
        polygons(&degrees, None),
        "no element of `ground.release` is inside its polygons",
    );
}
