//! Paths of kernels for subgroups that llvmpipe does not have.

use std::path::Path;

/// Hashes of all fields after some steps of a pipeline in a directory.
fn hashes(root: &Path, out: &Path) -> String {
    let small = [
        "--set",
        "column.lattice=[10, 10, 12]",
        "--set",
        "run.steps_per_frame=20",
        "--frames",
        "1",
    ];
    let pipeline = root.join("pipelines/mpm_water.json");
    let begin = [
        "run",
        pipeline.to_str().unwrap(),
        "--hash",
        "--out",
        out.to_str().unwrap(),
    ];
    let output = crate::start().args(begin).args(small).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::read_to_string(out.join("hashes.csv")).unwrap()
}

/// P2G for subgroups of 32, with a workgroup in the place of the subgroup; `units` is a factor of the node's mass.
fn with_one_node(kernel: &str, units: &str) -> String {
    let (head, body) = kernel
        .split_once("// The data of a particle in a subgroup.")
        .unwrap();
    let (before, per) = head.split_once("const uint PER = ").unwrap();
    let (_, after) = per.split_once('\n').unwrap();
    let replaced = [
        ("gl_SubgroupInvocationID", "gl_LocalInvocationIndex"),
        ("gl_NumSubgroups", "1u"),
        ("gl_SubgroupID", "0u"),
        ("gl_SubgroupSize", "32u"),
        ("subgroupBarrier()", "barrier()"),
        ("* node.units", units),
    ];
    let body = replaced.iter().fold(body.to_string(), |body, (from, to)| {
        assert!(body.contains(from), "{from}");
        body.replace(from, to)
    });
    format!("{before}const uint PER = 1u;\n{after}{body}")
}

#[test]
fn p2g_of_one_node_per_invocation_equals_that_of_several() {
    if !crate::device::is_here() {
        return;
    }
    let root = Path::new(crate::ROOT);
    let kernel = std::fs::read_to_string(root.join("shaders/mpm/p2g.comp")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("copy");
    for part in ["pipelines/modules", "shaders/mpm"] {
        std::fs::create_dir_all(copy.join(part)).unwrap();
    }
    std::fs::copy(
        root.join("pipelines/mpm_water.json"),
        copy.join("pipelines/mpm_water.json"),
    )
    .unwrap();
    for file in std::fs::read_dir(root.join("pipelines/modules")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copy.join("pipelines/modules").join(file.file_name())).unwrap();
    }
    let several = hashes(root, &directory.path().join("several"));
    let with = |units: &str, out: &str| {
        std::fs::write(copy.join("shaders/mpm/p2g.comp"), with_one_node(&kernel, units)).unwrap();
        hashes(&copy, &directory.path().join(out))
    };
    assert_eq!(with("* node.units", "one"), several);
    // Control: other masses.
    assert_ne!(with("* 0.99 * node.units", "control"), several);
}
