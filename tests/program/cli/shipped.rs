//! Pipelines that come with the program, by their names.

use super::*;

#[test]
fn shipped_pipelines_are_listed_with_titles() {
    let listed = run(&["list"]).exits(0);
    for entry in fs::read_dir(Path::new(crate::ROOT).join("pipelines"))
        .unwrap()
        .map(Result::unwrap)
    {
        let file = entry.file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".json") else {
            continue;
        };
        let line = listed
            .stdout
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{name} ")));
        assert!(
            line.is_some_and(|line| line.split_whitespace().count() > 2),
            "{name}: {line:?}"
        );
    }
    listed.says(&[
        "Snow over 269 square kilometres",
        "pressure_solver The pressure equation",
    ]);
}

#[test]
fn shipped_names_run_anywhere_and_copies_are_self_contained() {
    let away = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| {
        let mut command = crate::start();
        command
            .current_dir(away.path())
            .env("SASTRUGI_CACHE_DIR", away.path().join("cache"));
        Ran::of(command.args(arguments).output().unwrap())
    };
    at(&["run", "cavity", "--set", "n=8", "--frames", "1", "--out", "out"]).exits(0);
    assert_eq!(
        manifest(&away.path().join("out"))["pipeline"]["file"],
        "cavity.json"
    );
    // Control: without the name there is nothing to find.
    at(&["check", "cavty"]).exits(2).says(&["did you mean `cavity`?"]);
    // A pipeline with a base, a mesh and modules, away from the program's own files.
    at(&["new", "mine", "--from", "mpm_bunny"])
        .exits(0)
        .says(&["mine/assets/bunny.obj", "sastrugi run mine/mpm_bunny.json"]);
    at(&["check", "mine/mpm_bunny.json"]).exits(0);
    at(&["new", "other", "--from", "bunny"])
        .exits(2)
        .says(&["no pipeline `bunny`"]);
    at(&["new", "mine", "--from", "snow"])
        .exits(2)
        .says(&["mine is not empty"]);
    // Files that are unpacked already stay; a damaged one is replaced.
    at(&["check", "mpm_bunny"]).exits(0);
    let mut unpacked = fs::read_dir(away.path().join("cache"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_shipped = |path: &std::path::PathBuf| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("shipped-")
    };
    let assets = unpacked.find(is_shipped).unwrap().join("assets");
    let written = || {
        fs::metadata(assets.join("bunny.obj"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let (first, whole) = (written(), fs::read(assets.join("bunny.obj")).unwrap());
    at(&["check", "mpm_bunny"]).exits(0);
    assert_eq!(written(), first);
    fs::write(assets.join("bunny.obj"), "v 0 0 0").unwrap();
    at(&["check", "mpm_bunny"]).exits(0);
    assert_eq!(fs::read(assets.join("bunny.obj")).unwrap(), whole);
    // The names that are known where the mistake is.
    for (change, message, help) in [
        ("stir.perod=1", "no `stir.perod`", "did you mean `period`?"),
        ("viscosty=1", "no `viscosty`", "did you mean `viscosity`?"),
        ("perod=1", "no `perod`", "known here: n, viscosity, stir"),
    ] {
        at(&["check", "fluids", "--set", change])
            .exits(2)
            .says(&[message, help]);
    }
}

/// The role `body` of smoke_view is optional: a ball of smoke over the floor.
#[test]
fn smoke_view_draws_smoke_without_a_body() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ball.json");
    let ball = "if(x^2 + y^2 + (z - 0.8)^2 < 0.16, density, 0)";
    let pipeline = serde_json::json!({
        "parameters": {"density": 1},
        "use": {"draw": {"module": "modules/smoke_view.json", "roles": {"grid": "room", "view": "picture"}}},
        "run": {"dt": 1, "frames": 1},
        "grids": {
            "room": {"cells": [16, 16, 16], "cell_size": 0.1, "origin": [-0.8, -0.8, 0], "channels": {
                "density": {"type": "float", "at": "centre", "values": ball},
                "heat": {"type": "float", "at": "centre", "background": 0}
            }},
            "picture": {"pixels": [32, 24], "channels": {"color": "rgba8"}}
        },
        "init": ["draw.init"], "step": [], "frame": ["draw.frame"],
        "outputs": {"picture": {"source": "picture.color", "format": "npy"}}
    });
    fs::write(&file, pipeline.to_string()).unwrap();
    let red = |name: &str, more: &[&str]| -> Vec<u8> {
        let out = directory.path().join(name);
        run_into(&out, file.to_str().unwrap(), more).exits(0);
        let bytes = npy(&frames(&out)["picture.0001.npy"]).into_vec::<u8>().unwrap();
        bytes.chunks_exact(4).map(|pixel| pixel[0]).collect()
    };
    let (smoke, clear) = (
        red("smoke", &["--checked"]),
        red("clear", &["--set", "density=0"]),
    );
    let lighter = smoke
        .iter()
        .zip(&clear)
        .filter(|(smoke, clear)| **smoke > **clear + 20);
    assert!(
        (10..300).contains(&lighter.count()),
        "the ball covers a part of the picture"
    );
    assert!(
        smoke.iter().zip(&clear).any(|(smoke, clear)| smoke < clear),
        "it has a shadow"
    );
}

/// In builds for tests: scripts/mutants needs this.
#[test]
fn kernels_of_another_directory_take_the_place_of_shipped_ones() {
    let directory = tempfile::tempdir().unwrap();
    let changed = directory.path().join("flow/rate.comp");
    fs::create_dir(directory.path().join("flow")).unwrap();
    fs::write(&changed, "#version 460\nnothing that compiles\n").unwrap();
    let check = |pipeline: &str, shaders: &Path| {
        let mut command = crate::start();
        command.current_dir(crate::ROOT).env("SASTRUGI_SHADERS", shaders);
        Ran::of(command.args(["check", pipeline]).output().unwrap())
    };
    // On disk, beside the pipeline, and built in; other kernels stay.
    for pipeline in ["pipelines/cavity.json", "cavity"] {
        check(pipeline, directory.path())
            .exits(2)
            .says(&["flow/rate.comp"]);
        fs::rename(&changed, directory.path().join("flow/no.comp")).unwrap();
        check(pipeline, directory.path()).exits(0);
        fs::rename(directory.path().join("flow/no.comp"), &changed).unwrap();
    }
}
