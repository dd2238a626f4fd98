//! The recipes of docs/applications.md, run in the programs that they are for.

use super::guests::guests;
use super::*;

/// The variable that names a Python with Blender.
const BLENDER: &str = "SASTRUGI_BLENDER_PYTHON";
/// The recipe of the camera needs the run of a picture.
const CAMERA: &str = "bpy camera";

/// One ball, away from the middle of the picture.
const BALL: &str = r#"{
    "title": "One ball",
    "use": {"draw": {"module": "ROOT/pipelines/modules/points_view.json", "parameters": {
        "size": [320, 200], "camera": {"eye": [2.5, -3, 2], "target": [0.2, 0.4, 0.3], "fov": 30},
        "look": {"radius": 0.04, "passes": 0}}}},
    "run": {"dt": 1, "steps_per_frame": 1, "frames": 1},
    "particles": {"matter": {
        "from": [{"box": [[0.6, 0.6, 0.6], [0.7, 0.7, 0.7]], "spacing": 0.1, "set": {"velocity": [0, 0, 0], "number": "i"}}],
        "attributes": {"position": "vec3", "velocity": "vec3", "number": "uint"}}},
    "frame": ["draw.frame"],
    "outputs": {"surface": {"source": "draw.view.surface", "format": "npy"},
        "matter": {"source": "matter.position", "format": "npy"}}
}"#;

/// Prints the distance along x and y, in pixels, between the ball in Blender and in the picture.
const COMPARE: &str = r#"
import numpy
from bpy_extras.object_utils import world_to_camera_view
bpy.context.view_layer.update()
ball = numpy.load("out/my/matter.0001.npy").reshape(-1, 3)[0]
at = world_to_camera_view(scene, scene.camera, Vector(ball.tolist()))
rows, columns = numpy.nonzero(numpy.load("out/my/surface.0001.npy")[..., 0])
sides = scene.render.resolution_x, scene.render.resolution_y
print("distance", at.x * sides[0] - columns.mean() - 0.5, (1 - at.y) * sides[1] - rows.mean() - 0.5)
"#;

/// The blocks of Python in a text: the package that each is for, and its lines.
fn blocks(text: &str) -> Vec<(String, String)> {
    let parts = text.split("\n```python ").skip(1);
    let block = |part: &str| {
        let (package, rest) = part.split_once('\n').unwrap();
        let (code, _) = rest.split_once("\n```").unwrap();
        (package.to_owned(), code.to_owned())
    };
    parts.map(block).collect()
}

#[test]
#[ignore = "long: eight recipes, each twice"]
fn recipes_work_where_possible() {
    let Some(run) = guests(&[]) else { return };
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("out")).unwrap();
    std::os::unix::fs::symlink(run.path(), directory.path().join("out/my")).unwrap();
    let text = fs::read_to_string(Path::new(crate::ROOT).join("docs/applications.md")).unwrap();
    let recipes = blocks(&text);
    assert_eq!(recipes.len(), 9);
    let elsewhere = tempfile::tempdir().unwrap();
    for (package, code) in recipes {
        let python = match package.as_str() {
            "bpy" => python_with("bpy", BLENDER),
            // Another test runs it.
            CAMERA => continue,
            "pxr" => python_with("pxr", "SASTRUGI_USD_PYTHON"),
            package => has_module(package).then(|| PYTHON.to_owned()),
        };
        let Some(python) = python else { continue };
        let work = |directory: &Path| {
            Command::new(&python)
                .args(["-c", &code])
                .current_dir(directory)
                .output()
                .unwrap()
        };
        let output = work(directory.path());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{code}\n{error}");
        assert!(!output.stdout.is_empty(), "{code}");
        let output = work(elsewhere.path());
        assert!(!output.status.success(), "control: without the files\n{code}");
    }
}

#[test]
fn camera_in_blender_is_that_of_pictures_where_possible() {
    let Some(python) = python_with("bpy", BLENDER) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ball.json");
    fs::write(&file, BALL.replace("ROOT", crate::ROOT)).unwrap();
    if crate::device_or_skip(&Default::default()).is_none() {
        return;
    }
    let out = directory.path().join("out/my");
    let run = crate::start()
        .arg("run")
        .arg(&file)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = fs::read_to_string(Path::new(crate::ROOT).join("docs/applications.md")).unwrap();
    let (_, recipe) = blocks(&text)
        .into_iter()
        .find(|(package, _)| package == CAMERA)
        .unwrap();
    let distance = |recipe: &str| -> Vec<f64> {
        let output = Command::new(&python)
            .args(["-c", &format!("{recipe}{COMPARE}")])
            .current_dir(directory.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let line = said.lines().find_map(|line| line.strip_prefix("distance "));
        let line = line.unwrap_or_else(|| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
        line.split(' ').map(|number| number.parse().unwrap()).collect()
    };
    let found = distance(&recipe);
    assert!(found.iter().all(|distance| distance.abs() < 0.5), "{found:?}");
    let control = distance(
        &recipe
            .replace("VERTICAL", "HORIZONTAL")
            .replace("angle_y", "angle_x"),
    );
    assert!(control.iter().any(|distance| distance.abs() > 5.0), "{control:?}");
}
