//! Maps on models whose rows do not run from west to east.

use std::collections::BTreeMap;

use super::*;

/// The values of a map by the place of their pixels, in centimetres.
fn by_place(map: &Value) -> BTreeMap<[i64; 2], Value> {
    let [x, a, b, y, c, d]: [f64; 6] = serde_json::from_value(map["transform"].clone()).unwrap();
    let mut found = BTreeMap::new();
    for (row, values) in map["values"].as_array().unwrap().iter().enumerate() {
        for (column, value) in values.as_array().unwrap().iter().enumerate() {
            let [east, south] = [column as f64 + 0.5, row as f64 + 0.5];
            let place = [x + a * east + b * south, y + c * east + d * south];
            found.insert(place.map(|metres| (100.0 * metres).round() as i64), value.clone());
        }
    }
    found
}

/// The pipeline without the outputs in text.
fn without_text(model: &str) -> Value {
    let mut spec = pipeline(model);
    spec["outputs"]
        .as_object_mut()
        .unwrap()
        .retain(|name, _| !name.ends_with("text"));
    spec
}

#[test]
fn maps_on_a_rotated_model_are_rotated() {
    let Some(directory) = models() else { return };
    let file = directory.path().join("turned.json");
    fs::write(&file, without_text("turned.tif").to_string()).unwrap();
    let out = directory.path().join("turned");
    succeed(&mut program(file.to_str().unwrap(), &out, &[]));
    let files = [
        directory.path().join("turned.tif"),
        out.join("snow.0001.tif"),
        out.join("wind.0001.tif"),
    ];
    let [source, snow_map, wind] = <[Value; 3]>::try_from(maps(&files)).unwrap();
    let system = ["point", "no_data", "system", "code"];
    assert_eq!(system.map(|key| &source[key]), system.map(|key| &snow_map[key]));
    let transform: [f64; 6] = serde_json::from_value(source["transform"].clone()).unwrap();
    same_transform(transform, &snow_map, "turned");
    same(
        &north_first([7, 5], |x, y| snow(x + 7 * y)),
        &snow_map["values"],
        "turned",
    );
    // The first cell of the wind is 8 m along rows and 4 m against columns from the vertex at the low end of both.
    let [x, a, b, y, c, d] = transform;
    let pixel = |along: f64, down: f64| [x + a * along + b * down, y + c * along + d * down];
    let corner = pixel(0.5 + 8.0 / 10.3, 4.5 - (4.0 + 15.0) / 10.7);
    let wanted = [
        corner[0],
        5.0 * a / 10.3,
        5.0 * b / 10.7,
        corner[1],
        5.0 * c / 10.3,
        5.0 * d / 10.7,
    ];
    same_transform(wanted, &wind, "wind on turned");
    // Control: rotated the other way.
    let found: [f64; 6] = serde_json::from_value(wind["transform"].clone()).unwrap();
    assert!(
        (found[2] + wanted[2]).abs() > 1.0 && (found[4] + wanted[4]).abs() > 1.0,
        "control"
    );
}

#[test]
fn maps_on_a_model_of_quarter_turns_have_north_up() {
    let Some(directory) = models() else { return };
    let out = run_on(directory.path(), "quarter.tif", &[]);
    let files = [
        directory.path().join("quarter.tif"),
        out.join("elevation.0001.tif"),
        out.join("elevation_text.0001.asc"),
        out.join("snow.0001.tif"),
    ];
    let [source, elevation, text, snow_map] = <[Value; 4]>::try_from(maps(&files)).unwrap();
    let mut wanted = by_place(&source);
    for (name, map) in [("tif", &elevation), ("asc", &text)] {
        let found = by_place(map);
        // The pixel without data has the mean of its neighbours.
        wanted.iter_mut().for_each(|(place, value)| {
            if value.as_f64().unwrap() < 0.0 {
                *value = found[place].clone();
            }
        });
        assert_eq!(found, wanted, "{name}");
        assert_eq!(
            [&map["transform"][2], &map["transform"][4]],
            [&json!(0.0), &json!(0.0)],
            "{name}"
        );
    }
    // Rows run south, columns west: the first vertex has the smallest x, which is north, and the smallest y, which is west.
    let rows: Vec<Vec<f64>> = serde_json::from_value(snow_map["values"].clone()).unwrap();
    assert_eq!((rows.len(), rows[0].len()), (7, 5));
    assert_eq!([rows[0][0], rows[1][0], rows[0][1]], [snow(0), snow(1), snow(7)]);
}

#[test]
fn text_has_no_place_for_a_rotation() {
    let Some(directory) = models() else { return };
    let file = directory.path().join("turned_text.json");
    let check = |spec: &Value| {
        fs::write(&file, spec.to_string()).unwrap();
        let output = crate::start().arg("check").arg(&file).output().unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let mut spec = without_text("turned.tif");
    assert!(check(&spec).0, "control: {}", check(&spec).1);
    spec["outputs"]["change"] = json!({"source": "ground.change", "format": "asc"});
    let (is_fine, text) = check(&spec);
    assert!(
        !is_fine && text.contains("whose rows run from west to east") && text.contains("gdalwarp"),
        "{text}"
    );
}
