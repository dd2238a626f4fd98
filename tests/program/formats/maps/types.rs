//! Maps with numbers of every type.

use serde_json::json;

use super::*;

#[test]
fn maps_have_numbers_of_every_type() {
    let Some(directory) = models() else { return };
    // GDAL before 3.7 reads signed bytes as unsigned ones.
    let types = [
        ("double", "Float64", "1e-9 * i - 1 / 3"),
        ("float", "Float32", "1e-9 * i - 1 / 3"),
        ("half", "Float32", "i / 4 - 3"),
        ("uint8", "Byte", "7 * i"),
        ("int16", "Int16", "900 * i - 30000"),
        ("uint16", "UInt16", "1900 * i"),
        ("int", "Int32", "60000000 * i - 2147483647"),
        ("uint", "UInt32", "60000000 * i"),
        ("int64", "Int64", "i - 2251799813685248"),
        ("uint64", "UInt64", "i + 2251799813685248"),
    ];
    let mut spec = json!({"title": "Types", "run": {"dt": 1, "steps_per_frame": 1, "frames": 1}});
    for (name, kind, values) in types {
        spec["grids"]["ground"]["channels"][format!("a_{name}")] = json!({"type": name, "values": values});
        // Readers take text for 32-bit numbers.
        let formats = if kind.ends_with("64") {
            &["geotiff"][..]
        } else {
            &["geotiff", "asc"]
        };
        for format in formats {
            spec["outputs"][format!("{name}_{format}")] =
                json!({"source": format!("ground.a_{name}"), "format": format});
        }
        spec["outputs"][name] = json!({"source": format!("ground.a_{name}"), "format": "npy"});
    }
    spec["grids"]["ground"]["cells"] = json!([7, 5]);
    spec["grids"]["ground"]["cell_size"] = json!(2);
    let file = directory.path().join("types.json");
    fs::write(&file, spec.to_string()).unwrap();
    let out = directory.path().join("types");
    succeed(&mut program(file.to_str().unwrap(), &out, &[]));
    let arrays = types.map(|(name, ..)| out.join(format!("{name}.0001.npy")));
    let arrays = read("numpy_arrays.py", &arrays).unwrap();
    let is_text = |kind: &str| !kind.ends_with("64");
    let file = |name: &str, format: &str, end: &str| out.join(format!("{name}_{format}.0001.{end}"));
    let geotiff = types.iter().map(|(name, ..)| file(name, "geotiff", "tif"));
    let asc = types.iter().filter(|(_, kind, _)| is_text(kind));
    let asc = asc.map(|(name, ..)| file(name, "asc", "asc"));
    let files: Vec<PathBuf> = geotiff.chain(asc).collect();
    let maps = maps(&files);
    let (geotiff, asc) = maps.split_at(types.len());
    let mut asc = asc.iter();
    for (((name, kind, _), array), map) in types.iter().zip(arrays).zip(geotiff) {
        let values = array["arrays"]["value"]["values"].as_array().unwrap();
        let wanted = north_first([7, 5], |x, y| values[(x + 7 * y) as usize].as_f64().unwrap());
        assert_eq!(map["type"], *kind);
        same(&wanted, &map["values"], name);
        if is_text(kind) {
            same(&wanted, &asc.next().unwrap()["values"], name);
        }
    }
}
