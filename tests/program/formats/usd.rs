//! Scenes of USD: a whole run opened by OpenUSD's own package.

use serde_json::{Value, json};

use super::guests::{guests, one, values};
use super::*;

#[test]
fn usd_opens_a_run_as_one_scene_where_possible() {
    let Some(python) = python_with("pxr", "SASTRUGI_USD_PYTHON") else {
        return;
    };
    let Some(out) = guests(&[]) else { return };
    let out = out.path();
    let scene = read_with(&python, "usd_stage.py", &[out.join("scene.usda")])
        .unwrap()
        .remove(0);
    assert_eq!(scene["problems"], json!([]));
    let facts = ["up", "metres", "frames", "rate", "root"].map(|name| &scene[name]);
    assert_eq!(json!(facts), json!(["Z", 1.0, [0.0, 3.0], 2.0, "/run"]));
    let points = &scene["prims"]["/run/points"];
    assert_eq!(points["type"], "Points");
    let samples =
        |name: &str, frame: u64| -> &Value { &points["attributes"][name]["samples"][frame as usize] };
    for frame in 0..=FRAMES {
        // The same numbers as in the other format, in the order of the file.
        let bgeo = &one("bgeo.py", out.join(format!("houdini.{frame:04}.bgeo")))["arrays"];
        assert_eq!(
            difference(&json!(values(&bgeo["id"])), samples("ids", frame)),
            None
        );
        let rows = |name: &str, of: usize| -> Value {
            let values = values(&bgeo[name]);
            values.chunks(of).map(|row| json!(&row[..3])).collect()
        };
        assert_eq!(difference(&rows("P", 4), samples("points", frame)), None);
        assert_eq!(difference(&rows("v", 3), samples("velocities", frame)), None);
        assert_eq!(
            difference(&rows("Cd", 3), samples("primvars:displayColor", frame)),
            None
        );
        assert_eq!(
            difference(&json!(values(&bgeo["key"])), samples("primvars:key", frame)),
            None
        );
        assert_eq!(samples("widths", frame)[0], 0.5, "twice the radius");
        let end = &samples("extent", frame)[1];
        assert_eq!(end[0], 50.0);
    }
    assert_ne!(
        samples("ids", 1),
        samples("ids", 2),
        "control: the sort moves particles"
    );
    let kinds = [
        "points",
        "velocities",
        "ids",
        "widths",
        "primvars:displayColor",
        "primvars:key",
    ];
    let kinds = kinds.map(|name| points["attributes"][name]["type"].as_str().unwrap());
    assert_eq!(
        kinds,
        [
            "point3f[]",
            "vector3f[]",
            "int64[]",
            "float[]",
            "color3f[]",
            "uint[]"
        ]
    );
    volumes(out, &scene["prims"]);
    let text = fs::read_to_string(out.join("scene.usda")).unwrap();
    let broken = out.join("broken.usda");
    fs::write(&broken, text.replace("    upAxis = \"Z\"\n", "")).unwrap();
    let found = read_with(&python, "usd_stage.py", &[broken]).unwrap();
    assert_ne!(found[0]["problems"], json!([]), "control: without an up axis");
}

fn volumes(out: &Path, prims: &Value) {
    let cloud = &prims["/run/cloud"];
    assert_eq!(cloud["type"], "Volume");
    let wanted = json!([
        ["field:density", "/run/cloud/density"],
        ["field:wind", "/run/cloud/wind"]
    ]);
    assert_eq!(cloud["fields"], wanted);
    let asset = &prims["/run/cloud/density"]["attributes"];
    assert_eq!(asset["fieldName"]["samples"][2], "density");
    for frame in 1..=3 {
        // Frame 0 of this output has no file.
        let path = asset["filePath"]["samples"][frame].as_str().unwrap();
        assert!(path.ends_with(&format!("cloud.{frame:04}.vdb")), "{path}");
        assert!(out.join(path).exists());
    }
    assert!(prims.get("/run/volume/temperature").is_some() && prims.get("/run/volume/heat").is_none());
}

/// Points, a mesh and volumes over fifty frames: no finding of the validators, and values in each frame.
#[test]
#[ignore = "long: 51 frames in all formats"]
fn usd_of_fifty_frames_is_valid_where_possible() {
    let Some(python) = python_with("pxr", "SASTRUGI_USD_PYTHON") else {
        return;
    };
    let Some(out) = guests(&["--frames", "50"]) else {
        return;
    };
    let out = out.path();
    let read = || {
        read_with(&python, "usd_stage.py", &[out.join("scene.usda")])
            .unwrap()
            .remove(0)
    };
    let scene = read();
    let facts = ["problems", "unresolved", "frames", "rate"].map(|name| &scene[name]);
    assert_eq!(json!(facts), json!([[], [], [0.0, 50.0], 2.0]));
    let prims = &scene["prims"];
    let skin = &prims["/run/skin"];
    assert_eq!([&skin["type"], &prims["/run/points"]["type"]], ["Mesh", "Points"]);
    assert_eq!(skin["attributes"]["valid"], json!(vec![true; 51]));
    let count = |scene: &Value, prim: &str, frame: usize| {
        let samples = &scene["prims"][prim]["attributes"]["points"]["samples"];
        samples[frame].as_array().map_or(0, Vec::len)
    };
    let files = &prims["/run/cloud/density"]["attributes"]["filePath"]["samples"];
    for frame in 0..=50 {
        assert_eq!(count(&scene, "/run/points", frame), 51, "frame {frame}");
        // The same vertices as in the file of the frame.
        let text = fs::read_to_string(out.join(format!("skin.{frame:04}.usda"))).unwrap();
        let (_, rest) = text.split_once("point3f[] points.timeSamples").unwrap();
        let vertices = rest.lines().next().unwrap().matches('(').count();
        assert_eq!(count(&scene, "/run/skin", frame), vertices, "frame {frame}");
        let name = format!("cloud.{frame:04}.vdb");
        assert!(
            frame == 0 || files[frame].as_str().unwrap().ends_with(&name),
            "frame {frame}"
        );
    }
    assert_ne!(
        count(&scene, "/run/skin", 1),
        count(&scene, "/run/skin", 50),
        "control: the mesh changes"
    );
    for lost in ["points.0025.usda", "cloud.0040.vdb"] {
        fs::remove_file(out.join(lost)).unwrap();
        let unresolved = read()["unresolved"].to_string();
        assert!(unresolved.contains(lost), "control: without {lost}: {unresolved}");
    }
}

/// A resumed run that writes no file of an output keeps it in the scene.
#[test]
fn resumed_run_keeps_the_scene() {
    if !device::is_here() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let succeeds = |command: &mut Command| {
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
    };
    let rare = [
        "--frames",
        "2",
        "--checkpoint",
        "2",
        "--set",
        "outputs.points.every=2",
    ];
    succeeds(&mut program("tests/data/formats/guests.json", out.path(), &rare));
    let resume = ["run", "--quiet", "--validation", "--frames", "3", "--resume"];
    succeeds(crate::start().args(resume).arg(out.path()));
    assert!(
        !out.path().join("points.0003.usda").exists(),
        "control: no file of it"
    );
    let scene = fs::read_to_string(out.path().join("scene.usda")).unwrap();
    for output in ["points", "cloud"] {
        let reference = format!("references = @./{output}.usda@");
        assert_eq!(scene.matches(&reference).count(), 1, "{scene}");
    }
    assert!(
        scene.contains("startTimeCode = 0\n") && scene.contains("endTimeCode = 3\n"),
        "{scene}"
    );
}
