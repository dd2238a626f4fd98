//! Memory of a run: as much as the plan says, however slow the disk is.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sastrugi::gpu::Gpu;
use sastrugi::plan::memory::MemoryPlan;
use sastrugi::run::{self, Ending, Event, Observer, RunRequest};
use sastrugi::spec;

use super::common;

/// Bytes that an allocator may add to a buffer, for its alignment.
const ROUNDING: u64 = 256;

/// Notes buffers and bytes in use after every frame.
struct Look<'a> {
    gpu: &'a Gpu,
    seen: Vec<(u64, u64)>,
}

impl Observer for Look<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Frame(_) = event {
            let live = self.gpu.live_allocations();
            let bytes = live.iter().map(|live| live.bytes).sum();
            self.seen.push((live.len() as u64, bytes));
        }
    }
}

#[test]
fn run_allocates_the_planned_memory() {
    let Some(gpu) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let path = crate::common::simulation::root().join("tests/data/tiny.json");
    for ring in [1, 3] {
        let overrides = [format!("particles.dots.ring={ring}"), "run.frames=12".to_string()];
        let (pipeline, _) = spec::load(&path, &overrides).unwrap();
        let plan = MemoryPlan::of(&pipeline, &sastrugi::plan::plan(&pipeline).unwrap(), &[]);
        let items = || plan.device.iter().chain(&plan.host);
        let buffers: u64 = items().map(|item| item.copies).sum();
        let bytes = plan.device_bytes() + plan.host_bytes();
        let before = gpu.live_allocations().len();
        let mut look = Look {
            gpu: &gpu,
            seen: Vec::new(),
        };
        let swaps = BTreeMap::new();
        let run = RunRequest::new(&gpu, pipeline, &path, root.path(), &swaps);
        let ending = run::run(run, &mut look);
        assert_eq!((ending.unwrap(), before), (Ending::Done, 0));
        let seen = look.seen;
        assert_eq!(seen.len(), 12);
        for (frame, live) in seen.iter().enumerate() {
            let place = format!("frame {}, rings of {ring}", frame + 1);
            assert_eq!(live.0, buffers, "{place}");
            assert!(
                (bytes..=bytes + ROUNDING * buffers).contains(&live.1),
                "{place}: {} of {bytes}",
                live.1
            );
        }
        // Every frame has the same.
        assert!(seen.iter().all(|live| live == &seen[0]), "{seen:?}");
    }
}

/// Bytes that a process has in memory.
fn resident(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap();
    let pages: u64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
    4096 * pages
}

#[test]
fn slow_disk_throttles_the_run_without_growing_memory() {
    let Some(_) = common::gpu() else { return };
    let root = tempfile::tempdir().unwrap();
    let started = Instant::now();
    // Every frame of 3 MB takes a thread a tenth of a second; simulating it takes a few milliseconds.
    let mut child = common::start()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "run",
            "benches/ring/ring.json",
            "--quiet",
            "--frames",
            "50",
            "--delay-writes",
            "100",
        ])
        .args(["--set", "count=100000", "--set", "rounds=0", "--out"])
        .arg(root.path())
        .spawn()
        .unwrap();
    let reach = |frame: u32| {
        while !root.path().join(format!("dots.{frame:04}.bgeo")).exists() {
            assert!(started.elapsed() < Duration::from_secs(200), "frame {frame}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    reach(10);
    let early = resident(child.id());
    reach(40);
    let late = resident(child.id());
    assert!(child.wait().unwrap().success());
    println!(
        "{} MiB after frame 10, {} MiB after frame 40",
        early >> 20,
        late >> 20
    );
    assert!(late < early + early / 20, "{early} bytes, then {late}");
}
