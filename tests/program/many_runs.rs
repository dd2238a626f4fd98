//! Many runs in one process through the library: what they take from the system is given back.

use std::fs;

use sastrugi::{Device, DeviceOptions, NoObserver, Pipeline, Run, Simulation};

/// Resources of the process. They include the memory of the device: llvmpipe maps it into the process.
#[derive(Debug, Clone, Copy)]
struct Held {
    resident_kib: u64,
    descriptors: usize,
    threads: usize,
    mappings: usize,
}

impl Held {
    fn now() -> Held {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        let count = |path: &str| fs::read_dir(path).unwrap().count();
        Held {
            resident_kib: resident.trim().trim_end_matches(" kB").parse().unwrap(),
            descriptors: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
            mappings: fs::read_to_string("/proc/self/maps").unwrap().lines().count(),
        }
    }
}

/// A run with files, and a simulation step by step, on a device that is opened for them or shared.
fn run(pipeline: &Pipeline, shared: Option<&Device>) {
    let own = shared
        .is_none()
        .then(|| Device::open(&DeviceOptions::default()).unwrap());
    let device = shared.or(own.as_ref()).unwrap();
    let out = tempfile::tempdir().unwrap();
    Run::new(pipeline, out.path())
        .start(device, &mut NoObserver)
        .unwrap();
    let mut simulation = Simulation::new(device, pipeline).unwrap();
    simulation.steps(3).unwrap();
    let heat: Vec<f32> = simulation.read("box.heat").unwrap();
    assert!(heat.iter().all(|heat| heat.is_finite()));
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "long: 500 runs on one device, 50 that open one"]
fn what_many_runs_hold_stays_flat() {
    if !crate::device::is_here() {
        return;
    }
    let path = format!("{}/tests/data/tiny.json", crate::ROOT);
    let build = || {
        Pipeline::from_file(&path)
            .set("run.frames=2")
            .cache(crate::CACHE)
            .build()
            .unwrap()
    };
    let pipeline = build();
    let device = Device::open(&DeviceOptions::default()).unwrap();
    for (runs, shared) in [(500, Some(&device)), (50, None)] {
        let mut tenth = None;
        for number in 1..=runs {
            // Building is part of what a program does again and again.
            run(
                &if number % 10 == 0 {
                    build()
                } else {
                    pipeline.clone()
                },
                shared,
            );
            let held = Held::now();
            if number == 10 || number % 100 == 0 || number == runs {
                println!(
                    "run {number}, {}: {held:?}",
                    shared.map_or("its own device", |_| "a shared device")
                );
            }
            let first: &Held = tenth.get_or_insert(held);
            if number == 10 {
                tenth = Some(held);
            } else if number > 10 {
                assert!(
                    held.descriptors <= first.descriptors,
                    "run {number}: {held:?} after {first:?}"
                );
                assert!(
                    held.threads <= first.threads,
                    "run {number}: {held:?} after {first:?}"
                );
            }
        }
        let (first, last) = (tenth.unwrap(), Held::now());
        let grown = last.resident_kib.saturating_sub(first.resident_kib);
        assert!(grown < 20 << 10, "{grown} KiB more: {last:?} after {first:?}");
        assert!(last.mappings < first.mappings + 100, "{last:?} after {first:?}");
    }
}
