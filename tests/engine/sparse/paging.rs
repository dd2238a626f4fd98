//! The location of blocks and the latency of paging change no byte.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use sastrugi::gpu::OpenOptions;
use sastrugi::run::{NoProbe, Probe, device_class};
use serde_json::{Value, json};

use super::*;

const FIELDS: [&str; 4] = ["g.heat", "g.hits", "g.flow", "total"];

fn ball(paging: &str, radius: u32) -> Value {
    let mut ball = file("ball.json");
    ball["parameters"]["radius"] = json!(radius);
    ball["grids"]["g"]["sparse"]["paging"] = json!(paging);
    ball
}

/// Takes its time in every update, another each.
struct SlowHost;

impl Probe for SlowHost {
    fn before_update(&self, number: u64) {
        sleep(Duration::from_millis(17 * (number + 1) % 31));
    }
}

/// Every field after some of 12 steps.
fn run(gpu: &Gpu, file: &Value, options: Options) -> BTreeMap<String, Vec<u8>> {
    run_probed(gpu, file, options, Arc::new(NoProbe))
}

fn run_probed(gpu: &Gpu, file: &Value, options: Options, probe: Arc<dyn Probe>) -> BTreeMap<String, Vec<u8>> {
    let pipeline = pipeline(file);
    let modules =
        sastrugi::shader::build(&pipeline, device_class(gpu), &Default::default(), gpu.cache()).unwrap();
    let mut sim = Simulation::probed(gpu, pipeline, modules, options, probe, None, None).unwrap();
    let mut found = BTreeMap::new();
    for step in 1..=12 {
        sim.step(false).unwrap();
        if [1, 2, 6, 12].contains(&step) {
            let field = |field: &str| (format!("{field} after {step}"), sim.read(field).unwrap());
            found.extend(FIELDS.map(field));
        }
    }
    assert_no_fault(&mut sim);
    found
}

fn differing(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    assert!(a.keys().eq(b.keys()));
    a.keys().filter(|name| a[*name] != b[*name]).cloned().collect()
}

#[test]
fn every_paging_gives_equal_bytes() {
    let Some(gpu) = common::gpu() else { return };
    let reference = run(&gpu, &ball("dense", 9), CHECKED);
    let mut sweep = common::sweep(3, 2 * pagings(&gpu).len());
    for paging in pagings(&gpu) {
        for options in [CHECKED, Options::default()] {
            if sweep.skips() {
                continue;
            }
            assert_eq!(
                differing(&reference, &run(&gpu, &ball(paging, 9), options)),
                [""; 0],
                "{paging}"
            );
        }
    }
    // Control: another ball.
    let other = run(&gpu, &ball("dense", 7), CHECKED);
    assert_eq!(differing(&reference, &other).len(), reference.len());
}

#[test]
fn host_delays_change_no_byte() {
    let Some(gpu) = common::gpu() else { return };
    // A latency for each way, those that look ahead with the ways that bind.
    for (latency, paging) in [1, 0, 3].into_iter().zip(pagings(&gpu).into_iter().rev()) {
        slow_host(&gpu, latency, paging);
    }
}

#[test]
#[ignore = "long: every latency with every way of paging"]
fn host_delays_change_no_byte_at_any_latency() {
    let Some(gpu) = common::gpu() else { return };
    for latency in [0, 1, 3] {
        for paging in pagings(&gpu) {
            slow_host(&gpu, latency, paging);
        }
    }
}

fn slow_host(gpu: &Gpu, latency: u32, paging: &str) {
    let slow = |ball: &Value| run_probed(gpu, ball, CHECKED, Arc::new(SlowHost));
    let mut ball = ball(paging, 9);
    ball["grids"]["g"]["sparse"]["latency"] = json!(latency);
    let plain = run(gpu, &ball, CHECKED);
    assert_eq!(
        differing(&plain, &slow(&ball)),
        [""; 0],
        "{paging}, latency {latency}"
    );
    // Control: the latency itself is seen.
    ball["grids"]["g"]["sparse"]["latency"] = json!(latency + 1);
    assert!(!differing(&plain, &slow(&ball)).is_empty(), "{paging}");
}

#[test]
#[ignore = "long: every paging again"]
fn full_barriers_change_no_byte() {
    let single = OpenOptions {
        single_queue: true,
        ..OpenOptions::default()
    };
    let Some(gpu) = common::gpu_with(single) else {
        return;
    };
    let full = Options {
        full_barriers: true,
        ..CHECKED
    };
    for paging in pagings(&gpu) {
        let ball = ball(paging, 9);
        let (plain, full) = (run(&gpu, &ball, CHECKED), run(&gpu, &ball, full));
        assert_eq!(differing(&plain, &full), [""; 0], "{paging}");
    }
}
