//! The cache in runs of the program.

use super::*;
use std::process::Output;

fn program(project: &Project, arguments: &[&str]) -> Output {
    common::start()
        .current_dir(project.directory.path())
        .env("SASTRUGI_CACHE_DIR", project.path("cache"))
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn check_caches_shaders_unless_disabled() {
    let project = Project::new();
    assert!(
        program(&project, &["check", "--no-cache", "pipeline.json"])
            .status
            .success()
    );
    assert!(entries(&project.path("cache")).is_empty());
    assert!(program(&project, &["check", "pipeline.json"]).status.success());
    project.entry();
}

#[test]
fn concurrent_processes_share_a_cache_directory() {
    let project = Project::new();
    let checks: Vec<_> = (0..4)
        .map(|_| {
            common::start()
                .current_dir(project.directory.path())
                .env("SASTRUGI_CACHE_DIR", project.path("cache"))
                .args(["check", "pipeline.json"])
                .spawn()
                .unwrap()
        })
        .collect();
    for mut check in checks {
        assert!(check.wait().unwrap().success());
    }
    let entry = project.entry();
    let name = entry.file_stem().unwrap().to_str().unwrap();
    assert!(project.cache().get(name).is_some(), "it is whole");
}

#[test]
fn unwritable_cache_directory_is_ignored() {
    let project = Project::new();
    project.write("cache", "a file in the way");
    let checked = program(&project, &["check", "pipeline.json"]);
    assert!(checked.status.success());
    assert_eq!(String::from_utf8_lossy(&checked.stderr), "");
}
