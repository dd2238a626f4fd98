//! Paths of kernels for subgroups that llvmpipe does not have.

use std::path::Path;

/// Hashes of all fields after some steps of falling water with the kernels in a directory.
fn hashes(kernels: Option<&Path>, out: &Path) -> String {
    let mut command = crate::start();
    command
        .current_dir(crate::ROOT)
        .args(["run", "pipelines/mpm_water.json", "--hash", "--frames", "1"])
        .args(["--set", "column.lattice=[10, 10, 12]"])
        .args(["--set", "run.steps_per_frame=20", "--out"])
        .arg(out);
    if let Some(kernels) = kernels {
        command.env("SASTRUGI_SHADERS", kernels);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::read_to_string(out.join("hashes.csv")).unwrap()
}

#[test]
#[ignore = "long: five runs"]
fn p2g_by_teams_equals_that_by_subgroups() {
    if !crate::device::is_here() {
        return;
    }
    let kernel = std::fs::read_to_string(Path::new(crate::ROOT).join("shaders/mpm/p2g.glsl")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let kernels = directory.path().join("shaders");
    std::fs::create_dir_all(kernels.join("mpm")).unwrap();
    let with = |changes: &[(&str, &str)], out: &str| {
        let text = changes.iter().fold(kernel.clone(), |text, (from, to)| {
            assert_eq!(text.matches(from).count(), 1, "{from}");
            text.replace(from, to)
        });
        std::fs::write(kernels.join("mpm/p2g.glsl"), text).unwrap();
        hashes(Some(&kernels), &directory.path().join(out))
    };
    let subgroups = hashes(None, &directory.path().join("subgroups"));
    let teams = ("if (sg_least_subgroup >= 32u)", "if (true)");
    assert_eq!(with(&[teams], "teams"), subgroups);
    // Control: a team less.
    assert_ne!(
        with(&[teams, ("team < TEAMS &&", "team < 2u &&")], "two"),
        subgroups
    );
}
