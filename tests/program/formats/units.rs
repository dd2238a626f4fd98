//! Units and classes in the files, as other programs find them.

use serde_json::{Value, json};

use super::guests::one;
use super::*;

#[test]
#[ignore = "long: files of every format in six programs"]
fn units_and_classes_are_found_where_possible() {
    let Some(out) = run("units", &[]) else { return };
    let file = |name: &str| out.path().join(name);
    if has_module("vtk") {
        let cells = one("vtk_facts.py", file("cells.0001.vti"));
        let wanted = json!({"heat": "kJ/m^3 <rel.>", "flow": "m/s", "mark": null});
        assert_eq!(difference(&wanted, &cells["units"]), None);
        let points = one("vtk_facts.py", file("points.0001.vtp"));
        assert_eq!(difference(&json!({"age": "s"}), &points["units"]), None);
        // The numbers are where they were.
        let data = one("vtk_data.py", file("cells.0001.vti"));
        let mark = lattice([9, 7, 5], |x, y, z| vec![(x - y - z) as f64 - step(1)]);
        assert_eq!(
            difference(&json!(mark), &data["cell_arrays"]["mark"]["values"]),
            None
        );
    }
    let nrrd = fs::read(file("volume.0001.nrrd")).unwrap();
    let header = String::from_utf8_lossy(&nrrd[..400]);
    assert!(header.contains("\nsample units: K\n"), "{header}");
    if has_module("pyopenvdb") {
        for (name, field, class, units) in [
            ("density", "heat", "fog volume", json!("kg/m3")),
            ("distance", "heat", "level set", json!("m")),
            ("faces", "flow", "staggered", json!("m/s")),
            ("plain", "heat", "unknown", Value::Null),
        ] {
            let grid = &one("openvdb_facts.py", file(&format!("{name}.0001.vdb")))["grids"][field];
            assert_eq!(
                [&grid["class"], &grid["facts"]["units"]],
                [&json!(class), &units],
                "{name}"
            );
        }
    }
    if let Some(python) = python_with("h5py", "SASTRUGI_VTK_PYTHON") {
        let code = "import h5py, sys; cells = h5py.File(sys.argv[1])['VTKHDF/CellData']; \
                    print(cells['flow'].attrs['Units'].decode(), 'Units' in cells['heat'].attrs)";
        let mut command = Command::new(python);
        let output = command
            .args(["-c", code])
            .arg(file("series.vtkhdf"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "m/s False");
    }
    let manifest: Value = serde_json::from_str(&fs::read_to_string(file("manifest.json")).unwrap()).unwrap();
    let units = |name: &str| manifest["outputs"][name]["units"].clone();
    assert_eq!(units("cells"), json!({"heat": "kJ/m^3 <rel.>", "flow": "m/s"}));
    assert_eq!(
        [units("volume"), units("plain")],
        [json!({"heat": "K"}), Value::Null]
    );
}
