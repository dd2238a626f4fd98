//! `--stage NAME=SHADER`: another shader for this run, as source or as SPIR-V, without a rebuild.

use super::*;

const SWAP: &str = "tests/data/tiny/no_spread.comp";

#[test]
fn replaced_shader_changes_the_result() {
    let (plain, swapped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_into(plain.path(), TINY, &[]).exits(0);
    run_into(swapped.path(), TINY, &["--stage", &format!("spread={SWAP}")]).exits(0);
    let (plain, swapped) = (frames(plain.path()), frames(swapped.path()));
    assert_eq!(
        plain.keys().collect::<Vec<_>>(),
        swapped.keys().collect::<Vec<_>>()
    );
    assert!(differing(&plain, &swapped).contains(&"heat.0001.npy".into()));
    let heat = |frames: &BTreeMap<String, Vec<u8>>, frame: u32| {
        npy(&frames[&format!("heat.{frame:04}.npy")])
            .into_vec::<f32>()
            .unwrap()
    };
    // Two steps a frame, each 0.025 warmer; adding rounds once per step.
    for (first, second) in heat(&swapped, 1).into_iter().zip(heat(&swapped, 2)) {
        assert!((second - first - 0.05).abs() < 1e-6, "{first} {second}");
    }
}

/// Compiles a stage outside the program, against the interface that the program prints.
fn compile_outside(directory: &Path, spec: &str, stage: &str, shader: &str) -> String {
    let interface = run(&["interface", spec, stage]).exits(0).stdout;
    fs::write(directory.join("stage.glsl"), interface).unwrap();
    let spirv = directory.join("outside.spv");
    let compiled = Command::new("glslc")
        .current_dir(crate::ROOT)
        .args(["--target-env=vulkan1.3", "-fshader-stage=compute", "-I"])
        .arg(directory)
        .args(["-I", "shaders", shader, "-o"])
        .arg(&spirv)
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    format!("{stage}={}", spirv.display())
}

fn glslc_is_here() -> bool {
    let here = Command::new("glslc").arg("--version").output().is_ok();
    if !here {
        crate::skip("glslc is not here");
    }
    here
}

#[test]
fn spirv_from_another_compiler_gives_equal_bytes_where_possible() {
    if !glslc_is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let binary_swap = compile_outside(directory.path(), TINY, "spread", SWAP);
    let (source, binary) = (directory.path().join("source"), directory.path().join("binary"));
    run_into(&source, TINY, &["--stage", &format!("spread={SWAP}")]).exits(0);
    run_into(&binary, TINY, &["--stage", &binary_swap]).exits(0);
    assert_eq!(differing(&frames(&source), &frames(&binary)), [""; 0]);
    assert!(!frames(&binary).is_empty());
}

/// The snow pipeline itself, small, with heavy flakes so that snow slides within its two frames.
#[test]
#[ignore = "long: three runs of snow"]
fn snow_without_smoothing_differs_and_spirv_agrees_where_possible() {
    const SNOW: &str = "pipelines/snow.json";
    const NO_SMOOTHING: &str = "tests/data/no_smoothing.comp";
    let directory = tempfile::tempdir().unwrap();
    let snow = |name: &str, swap: Option<&str>| {
        let out = directory.path().join(name);
        // Without the validation layer: it gives up on a semaphore that a slow machine takes 10 s to reach.
        let mut arguments = vec![
            "run",
            SNOW,
            "--quiet",
            "--frames",
            "2",
            "--out",
            out.to_str().unwrap(),
        ];
        for setting in [
            "run.steps_per_frame=8",
            "flakes.count=32768",
            "flakes.units=200000",
            "grids.ground.vertices=[96,100]",
            "grids.ground.channels.elevation.values.metres_per_pixel=[0.7,0.875]",
            "grids.ground.channels.elevation.values.metres_per_level=0.04",
            "grids.air.cells=[40,42,16]",
            "grids.air.origin=[0.7,3,-7]",
            "outputs.view.every=100",
            "outputs.snow.every=1",
        ] {
            arguments.extend(["--set", setting]);
        }
        arguments.extend(swap.into_iter().flat_map(|swap| ["--stage", swap]));
        run(&arguments).exits(0);
        frames(&out)
    };
    let total = |frames: &BTreeMap<String, Vec<u8>>| {
        let depths = npy(&frames["snow.0002.npy"]).into_vec::<u32>().unwrap();
        depths.iter().map(|&depth| u64::from(depth)).sum::<u64>()
    };
    let smooth = snow("smooth", None);
    let source = snow("source", Some(&format!("smooth_snow={NO_SMOOTHING}")));
    assert_eq!(
        smooth.keys().collect::<Vec<_>>(),
        source.keys().collect::<Vec<_>>()
    );
    assert!(
        differing(&smooth, &source).contains(&"snow.0002.npy".into()),
        "snow slides in one of them only"
    );
    assert!(
        total(&smooth) > 0 && total(&smooth).is_multiple_of(200_000),
        "whole flakes"
    );
    if glslc_is_here() {
        let swap = compile_outside(directory.path(), SNOW, "smooth_snow", NO_SMOOTHING);
        assert_eq!(differing(&source, &snow("binary", Some(&swap))), [""; 0]);
    }
}
