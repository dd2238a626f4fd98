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
}

/// What scripts/mutants relies on, in builds for tests.
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
