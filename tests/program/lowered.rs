//! Devices with less than the one of the tests has: pipelines run with the same bits, or are refused by name.
//!
//! `tests/data/lowered/devices.json` has limits, features and extensions of devices, from the sources of their drivers.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use sastrugi::{Device, DeviceInfo, DeviceOptions, Pipeline};
use serde_json::Value;

/// Limits, features and extensions that devices differ in, each with what it stands for.
const LOWERED: &[(&str, &str)] = &[
    ("maxComputeSharedMemorySize=32768", "32 KiB of shared memory"),
    ("maxComputeSharedMemorySize=16384", "16 KiB of shared memory"),
    ("maxComputeWorkGroupInvocations=512", "workgroups of 512"),
    ("maxComputeWorkGroupInvocations=256", "workgroups of 256"),
    ("maxComputeWorkGroupInvocations=128", "workgroups of 128"),
    ("minSubgroupSize=4", "subgroups of 4"),
    ("maxBufferSize=134217728", "buffers of 128 MiB"),
    ("sparseBinding,sparseResidencyBuffer", "no sparse binding"),
    ("VK_EXT_conditional_rendering", "no conditional rendering"),
    ("queueCount=1", "one queue"),
    ("shaderBufferInt64Atomics", "no 64-bit atomics"),
    ("shaderInt16", "no 16-bit integers"),
    ("shaderInt8", "no 8-bit integers"),
    ("shaderFloat16", "no arithmetic of halves"),
    ("shaderFloat64", "no doubles"),
    ("storageBuffer16BitAccess", "no 16-bit fields"),
    ("storageBuffer8BitAccess", "no 8-bit fields"),
    (
        "vulkanMemoryModel,vulkanMemoryModelDeviceScope",
        "no memory model",
    ),
    (
        "subgroupSizeControl,computeFullSubgroups",
        "no control of subgroup sizes",
    ),
];

/// The device, or what it lacks.
fn device(lowered: &str) -> Result<DeviceInfo, String> {
    let found = Device::find(&DeviceOptions {
        lowered: lowered.parse().unwrap(),
        ..DeviceOptions::default()
    });
    found.map_err(|error| {
        let text = error.to_string();
        let (_, reasons) = text.split_once(": refused, ").unwrap();
        reasons.lines().next().unwrap().to_owned()
    })
}

fn root() -> PathBuf {
    Path::new(crate::ROOT).into()
}

/// The shipped pipelines, by name.
fn pipelines() -> Vec<(String, Pipeline)> {
    let mut paths: Vec<PathBuf> = (fs::read_dir(root().join("pipelines")).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let pipeline = Pipeline::from_file(path).cache(crate::CACHE).report_shaders();
        (name, pipeline.build().unwrap())
    };
    paths.into_iter().map(read).collect()
}

/// The first reason why a device refuses a pipeline.
fn refusal(pipeline: &Pipeline, device: &DeviceInfo) -> Option<String> {
    let problems = pipeline.check_shaders_on(device).err()?;
    Some(problems.list[0].message.clone())
}

/// Refused pipelines, and the first reason.
fn refused(pipelines: &[(String, Pipeline)], device: &DeviceInfo) -> String {
    let refused: Vec<(&str, String)> = (pipelines.iter())
        .filter_map(|(name, pipeline)| Some((&**name, refusal(pipeline, device)?)))
        .collect();
    let Some((_, reason)) = refused.first() else {
        return "all run".to_owned();
    };
    let names: Vec<String> = refused.iter().map(|(name, _)| format!("`{name}`")).collect();
    let names = if names.len() == pipelines.len() {
        "all".to_owned()
    } else {
        names.join(", ")
    };
    let reason = reason.replace(&device.name, "the device");
    format!("refused: {names}; {reason}")
}

/// Rows of pipelines that are refused on a GPU with one limit lowered.
fn rows_of_limits(pipelines: &[(String, Pipeline)]) -> String {
    let mut text = String::new();
    for (lowered, meaning) in LOWERED {
        let shown = refused(pipelines, &device(&format!("deviceType=2,{lowered}")).unwrap());
        writeln!(text, "| {meaning} | `{lowered}` | {shown} |").unwrap();
    }
    text
}

/// Devices by name.
fn known() -> serde_json::Map<String, Value> {
    let text = fs::read_to_string(root().join("tests/data/lowered/devices.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The limits, features and extensions that a device lacks, as `--lower` takes them.
fn lowered(device: &Value) -> String {
    let limits = device["limits"].as_object().unwrap();
    // The largest subgroups have no effect on kernels.
    let limits = limits.iter().filter(|(name, _)| *name != "maxSubgroupSize");
    let mut items = vec!["deviceType=2".to_owned()];
    items.extend(limits.map(|(name, value)| format!("{name}={value}")));
    let lacks = device["lacks"].as_array().into_iter().flatten();
    items.extend(lacks.map(|name| name.as_str().unwrap().to_owned()));
    items.join(",")
}

/// Rows of pipelines that are refused on each known device.
fn rows_of_devices(pipelines: &[(String, Pipeline)]) -> String {
    let mut text = String::new();
    for known in known().values() {
        let [name, driver, api] = ["device", "driver", "api"].map(|key| known[key].as_str().unwrap());
        let shown = match device(&lowered(known)) {
            Err(reasons) => format!("refused: {reasons}"),
            Ok(_) if api.parse::<f64>().unwrap() < 1.25 => {
                format!("refused: its driver supports Vulkan {api}, but 1.3 is required")
            }
            Ok(lowered) => refused(pipelines, &lowered),
        };
        writeln!(text, "| {name} | {driver} | {shown} |").unwrap();
    }
    text
}

/// The page with new rows below the heading of each table.
fn with_rows(page: &str, tables: &[String]) -> String {
    let mut parts = page.split("|---|---|---|\n");
    let mut text = parts.next().unwrap().to_owned();
    for (rest, rows) in parts.zip(tables) {
        let after = rest.find("\n\n").unwrap();
        text += &format!("|---|---|---|\n{}{}", rows.trim_end(), &rest[after..]);
    }
    text
}

#[test]
#[ignore = "long: compiles the kernels of all pipelines for GPUs"]
fn page_has_what_shipped_pipelines_need() {
    if !crate::device::is_here() {
        return;
    }
    let path = root().join("docs/devices.md");
    let page = fs::read_to_string(&path).unwrap();
    let pipelines = pipelines();
    let new = with_rows(&page, &[rows_of_limits(&pipelines), rows_of_devices(&pipelines)]);
    if std::env::var_os("SASTRUGI_UPDATE").is_some() {
        fs::write(&path, new).unwrap();
    } else {
        assert!(
            page == new,
            "SASTRUGI_UPDATE=1 writes the tables of docs/devices.md anew:\n{new}"
        );
    }
}

#[test]
fn control_a_device_with_less_refuses_by_name() {
    if !crate::device::is_here() {
        return;
    }
    let path = root().join("pipelines/lbm_dam.json");
    let pipeline = Pipeline::from_file(path).cache(crate::CACHE).build().unwrap();
    assert_eq!(refusal(&pipeline, &device("").unwrap()), None);
    let reason = refusal(&pipeline, &device("maxComputeSharedMemorySize=64").unwrap()).unwrap();
    assert!(reason.contains("stage `") && reason.contains("64 B"), "{reason}");
    let known = known();
    assert!(device(&lowered(&known["anv-dg2"])).is_ok());
    let old = device(&lowered(&known["v3dv-pi5"])).unwrap_err();
    assert!(old.contains("shaderInt64"), "{old}");
    let lacking = device("scalarBlockLayout").unwrap_err();
    assert!(lacking.contains("scalarBlockLayout"), "{lacking}");
}

/// Hashes of all fields after two frames.
fn hashes(arguments: &[&str], out: &Path) -> String {
    let mut command = crate::start();
    command
        .current_dir(root())
        .args(["run", "--hash", "--frames", "2", "--out"])
        .arg(out)
        .args(arguments);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}");
    fs::read_to_string(out.join("hashes.csv")).unwrap()
}

/// A run on a device with less has the same bits, and the validation layer finds nothing.
fn has_the_same_bits(whole: &[&str], control: &str) {
    if !crate::device::is_here() {
        return;
    }
    let less = "VK_EXT_conditional_rendering,queueCount=1,sparseBinding,sparseResidencyBuffer,minSubgroupSize=1,\
                shaderInt16,shaderFloat64,shaderBufferInt64Atomics,maxMemoryAllocationSize=1073741824";
    let directory = tempfile::tempdir().unwrap();
    let out = |name: &str| directory.path().join(name);
    let expected = hashes(whole, &out("whole"));
    let lowered = [whole, &["--validation", "--lower", less]].concat();
    assert_eq!(hashes(&lowered, &out("lowered")), expected);
    let control = [whole, &["--set", control]].concat();
    assert_ne!(hashes(&control, &out("control")), expected);
}

#[test]
#[ignore = "long: loops on three devices"]
fn loops_on_a_device_with_less_have_the_same_bits() {
    let whole = [
        "pipelines/cavity.json",
        "--set",
        "n=12",
        "--set",
        "run.steps_per_frame=8",
    ];
    has_the_same_bits(&whole, "reynolds=50");
}

#[test]
#[ignore = "long: kernels of a liquid"]
fn sparse_grids_on_a_device_with_less_have_the_same_bits() {
    let whole = [
        "pipelines/flip_fountain.json",
        "--set",
        "n=10",
        "--set",
        "draw.size=[96, 54]",
    ];
    has_the_same_bits(&whole, "run.dt=0.01");
}

#[test]
fn unknown_names_are_refused_before_anything_runs() {
    for command in [
        &["run", "smoke", "--lower", "shaderInt61"][..],
        &["check", "smoke", "--device", "--lower", "shaderInt61"],
    ] {
        let output = crate::start().args(command).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(
            text.contains("shaderInt61") && text.contains("shaderInt64"),
            "{text}"
        );
    }
}
