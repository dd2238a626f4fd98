//! Damaged SPIR-V: every damage is refused in words, or leaves a module that the validator program accepts too.

use std::process::Command;
use std::sync::LazyLock;

use sastrugi::shader::{spirv, validate};
use sastrugi::spec;
use sastrugi::workgroups::DeviceClass;

/// Modules that the library itself compiled: from a stage with constants, a 3-D grid and stores through addresses.
static MODULE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = crate::common::simulation::root().join("tests/data/tiny.json");
    let (pipeline, _) = spec::load(&path, &[]).unwrap();
    let modules = sastrugi::shader::build(
        &pipeline,
        DeviceClass::Gpu,
        &Default::default(),
        &Default::default(),
    )
    .unwrap();
    let smallest = modules
        .iter()
        .min_by_key(|module| module.kernel.words.len())
        .unwrap();
    smallest
        .kernel
        .words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
});

/// Checks of a foreign module, in the order of `shader`.
fn admit(bytes: &[u8]) -> Result<(), String> {
    let words = spirv::words(bytes)?;
    validate::validate(&words)?;
    spirv::reflect(&words);
    spirv::no_contraction(&words);
    Ok(())
}

/// Damaged modules that were admitted must be good in the eyes of the validator program too, where it is installed.
fn agrees_with_the_program(admitted: &[(String, Vec<u8>)]) {
    if Command::new("spirv-val").arg("--version").output().is_err() {
        crate::common::skip(format_args!(
            "no spirv-val to compare {} admitted modules with",
            admitted.len()
        ));
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    for (damage, bytes) in admitted {
        let path = directory.path().join("module.spv");
        std::fs::write(&path, bytes).unwrap();
        let output = Command::new("spirv-val")
            .args(["--target-env", "vulkan1.3", "--scalar-block-layout"])
            .arg(&path)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{damage}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn own_spirv_module_is_valid() {
    assert_eq!(admit(&MODULE), Ok(()));
    agrees_with_the_program(&[("none".into(), MODULE.clone())]);
}

#[test]
fn flipped_spirv_bytes_are_refused_or_harmless_where_possible() {
    check_flips(11, 9);
}

#[test]
#[ignore = "long: every byte"]
fn any_flipped_spirv_byte_is_refused_or_harmless_where_possible() {
    check_flips(1, 60);
}

/// Flips every `every`-th byte; about `sampled` of the admitted modules are shown to the validator program.
fn check_flips(every: usize, sampled: usize) {
    let mut admitted = Vec::new();
    let mut refused = 0;
    let positions = (0..MODULE.len()).step_by(every);
    let flips = positions.len();
    for position in positions {
        // Every byte, each with one flip of its own: all bits, the lowest, the highest, or some.
        let flip = [0xff, 0x01, 0x80, 0x5a][position % 4];
        let mut bytes = MODULE.clone();
        bytes[position] ^= flip;
        match admit(&bytes) {
            Ok(()) => admitted.push((format!("byte {position} ^ {flip:#x}"), bytes)),
            Err(cause) => {
                assert!(!cause.is_empty());
                refused += 1;
            }
        }
    }
    println!("{flips} bytes: {refused} refused, {} harmless", admitted.len());
    assert!(refused > flips / 4, "{refused}");
    // A process each is slow: a sample of those that were admitted.
    let step = (admitted.len() / sampled).max(1);
    let sample: Vec<_> = admitted.into_iter().step_by(step).collect();
    agrees_with_the_program(&sample);
}

#[test]
fn truncated_spirv_is_refused() {
    for length in 0..MODULE.len() {
        if length.is_multiple_of(4) || length % 64 == 1 {
            assert!(
                admit(&MODULE[..length]).is_err(),
                "{length} of {} bytes",
                MODULE.len()
            );
        }
    }
}

#[test]
fn damaged_spirv_of_a_stage_names_file_and_fault() {
    let path = crate::common::simulation::root().join("tests/data/bad_specs/spirv_invalid.json");
    let (pipeline, _) = spec::load(&path, &[]).unwrap();
    let problems = sastrugi::shader::build(
        &pipeline,
        DeviceClass::Gpu,
        &Default::default(),
        &Default::default(),
    )
    .unwrap_err();
    let text = problems.to_string();
    assert!(
        text.contains("invalid.spv is not a valid SPIR-V module"),
        "{text}"
    );
}
