//! Initial particles from solids, expressions and files, on the device and written back to files.

use std::process::Command;

use sastrugi::initial;
use serde_json::json;

use super::reference::random::random4;
use super::*;

const FIELDS: [&str; 5] = ["position", "velocity", "material", "tag", "mass"];

/// The words of every attribute, by their order in [`FIELDS`].
fn words_of(simulation: &mut Simulation, set: &str) -> Vec<Vec<u32>> {
    let names = FIELDS.iter().map(|field| format!("{set}.{field}"));
    names.map(|name| read_words(simulation, &name)).collect()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}

fn sastrugi(arguments: &[&str]) -> Command {
    let mut command = common::start();
    command.env("NO_COLOR", "1").args(arguments);
    command
}

#[test]
fn particle_sources_from_solids_and_expressions_match() {
    let Some(gpu) = common::gpu() else { return };
    let mut simulation = simulation(&gpu, &file("grains.json"), CHECKED);
    let [position, velocity, material, tag, mass] = words_of(&mut simulation, "grains").try_into().unwrap();
    let count = material.len();
    let place = floats(&position);
    let box_of = 8 * 4 * 2;
    // Lines run along the longest side, rows are stacked along the shortest.
    for (i, place) in place.chunks(3).take(box_of).enumerate() {
        let cell = [i % 8, i / 8 % 4, i / 32];
        let wanted = cell.map(|c| (c as f64 + 0.5) * 0.05);
        let close = (place.iter().zip(wanted)).all(|(x, wanted)| (f64::from(*x) - wanted).abs() < 1e-7);
        assert!(close, "{i}: {place:?} {wanted:?}");
        let [x, y] = [place[0], place[1]].map(f64::from);
        let wanted = [-2.0 * y, 2.0 * x, 0.0].map(|v| (v as f32).to_bits());
        assert_eq!(velocity[3 * i..3 * i + 3], wanted);
        assert_eq!((material[i], tag[i] as i32), (4_000_000_000, i as i32 - 5));
    }
    // The ball: its points are whole spacings from the centre, but for the jitter, whose key is the index in the set.
    let ball = material.iter().filter(|material| **material == 1).count();
    for i in box_of..box_of + ball {
        let random = random4(i as u32, 0, 0x6a69_7474, 3).map(f64::from);
        for axis in 0..3 {
            let centre = if axis == 0 { 2.0 } else { 0.0 };
            let jitter = (random[axis] - 0.5) * 0.5 * 0.05;
            let cells = (f64::from(place[3 * i + axis]) - jitter - centre) / 0.05 + 0.5;
            assert!((cells - cells.round()).abs() < 1e-4, "{i} {axis}: {cells}");
        }
        assert_eq!((material[i], tag[i] as i32), (1, -7));
    }
    let volume = ball as f64 * 0.05f64.powi(3) / (4.0 / 3.0 * std::f64::consts::PI * 0.008);
    assert!((volume - 1.0).abs() < 0.1, "{volume}");
    // The bunny stands at its place, ears up: it is taller than it is deep.
    let bunny = &place[3 * (box_of + ball)..];
    let range = |axis: usize| {
        let values = bunny.iter().skip(axis).step_by(3);
        values.fold([f32::INFINITY, -f32::INFINITY], |[low, high], x| {
            [low.min(*x), high.max(*x)]
        })
    };
    for (axis, least, most) in [(0, -0.248, 0.248), (1, -0.191, 0.187), (2, 1.0, 1.483)] {
        let [low, high] = range(axis);
        assert!((least..least + 0.06).contains(&low), "{axis}: {low}");
        assert!((most - 0.08..most).contains(&high), "{axis}: {high}");
    }
    for (i, material) in material.iter().enumerate().skip(box_of + ball) {
        assert_eq!(*material, 2 + i as u32 % 2);
    }
    assert!(mass.iter().all(|mass| *mass == 2f32.to_bits()));
    assert!(count > box_of + ball + 100, "{count}");
}

#[test]
fn written_particles_load_from_every_format() {
    let Some(gpu) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let grains = directory().join("grains.json");
    let out = root.path().join("out");
    let status = sastrugi(&["run", "--quiet", "--out"])
        .arg(&out)
        .arg(grains)
        .status()
        .unwrap();
    assert!(status.success());
    let mut first = simulation(&gpu, &file("grains.json"), CHECKED);
    let wanted = words_of(&mut first, "grains");
    for ending in ["ply", "bgeo", "npz", "npy"] {
        let mut file = file("grains.json");
        let path = out.join(format!("{ending}.0001.{ending}"));
        // Behind two others, so that it does not begin at the start of the set.
        let lone = json!({"box": [[0, 0, 0], [2, 1, 1]], "spacing": 1, "set": {"tag": 4}});
        file["particles"]["grains"]["from"] = json!([lone, {"file": path}]);
        file["outputs"] = json!({});
        let mut again = simulation(&gpu, &file, CHECKED);
        for (number, (found, wanted)) in words_of(&mut again, "grains").iter().zip(&wanted).enumerate() {
            let components = if number < 2 { 3 } else { 1 };
            let found = &found[2 * components..];
            if ending == "npy" && number > 0 {
                // It holds positions alone; the rest are backgrounds.
                let background = [0, 0, 4_000_000_000, -7i32 as u32, 2f32.to_bits()][number];
                assert!(found.iter().all(|word| *word == background), "{ending} {number}");
            } else {
                assert!(found == wanted, "{ending}: {}", FIELDS[number]);
            }
        }
    }
}

#[test]
fn dynamic_sets_start_from_their_sources() {
    let Some(gpu) = common::gpu() else { return };
    let mut file = file("sparks.json");
    let sparks = &mut file["particles"]["sparks"];
    sparks.as_object_mut().unwrap().remove("count");
    sparks["attributes"]["position"] = json!("vec3");
    sparks["from"] = json!([{"box": [[0, 0, 0], [5, 3, 2]], "spacing": 1, "set": {"name": "100 + i"}}]);
    file["init"] = json!([]);
    let pipeline = pipeline(&file);
    let set = (pipeline.resources.iter())
        .position(|resource| resource.name == "sparks")
        .unwrap();
    assert!(
        initial::contents(&pipeline, set)
            .unwrap()
            .iter()
            .all(|initial| initial.bytes.len().is_multiple_of(30))
    );
    let mut simulation = simulation(&gpu, &file, CHECKED);
    assert_eq!(population(&mut simulation), (30, 0));
    let names = read_words(&mut simulation, "sparks.name");
    assert_eq!(names[..30], (100..130).collect::<Vec<u32>>());
    assert!(
        names[30..].iter().all(|name| *name == 0),
        "beyond those that live are backgrounds"
    );
    assert_no_fault(&mut simulation);
}

#[test]
fn resume_refuses_changed_particle_files() {
    let Some(_) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("body.obj");
    let body = |height: u32| {
        format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 {height}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    };
    std::fs::write(&path, body(1)).unwrap();
    let mut file = file("grains.json");
    file["particles"]["grains"]["from"] = json!([{"mesh": "body.obj", "spacing": 0.1}]);
    file["outputs"] = json!({});
    let pipeline = root.path().join("grains.json");
    std::fs::write(&pipeline, file.to_string()).unwrap();
    let out = root.path().join("out");
    let run = sastrugi(&["run", "--quiet", "--checkpoint", "1", "--frames", "2", "--out"])
        .arg(&out)
        .arg(&pipeline)
        .status();
    assert!(run.unwrap().success());
    let resume = || {
        sastrugi(&["run", "--quiet", "--resume"])
            .arg(&out)
            .output()
            .unwrap()
    };
    let output = resume();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::write(&path, body(2)).unwrap();
    let output = resume();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(
        text.contains("the file of particles at `/particles/grains/from/0` has changed"),
        "{text}"
    );
}
