//! Submissions, timelines, timestamps, and lives of objects that are dropped while the device uses them.

use std::sync::mpsc;
use std::time::Duration;

use sastrugi::gpu::{Access, Batch, Buffer, BufferKind, Gpu, OpenOptions, Queue, Recording, Timeline};

use super::common::{LIMIT, contents, gpu, gpu_with, run_on, words};

const WORDS: u64 = 1 << 16;

fn device_buffer(gpu: &Gpu, name: &str) -> Buffer {
    gpu.buffer(name, 4 * WORDS, BufferKind::Device).unwrap()
}

fn copying(gpu: &Gpu, queue: Queue, src: &Buffer, dst: &Buffer) -> Recording {
    gpu.record("copy", queue, |r| {
        r.copy(src, 0, dst, 0, 4 * WORDS)?;
        r.barrier(
            &[Access::TransferWrite],
            &[Access::HostRead, Access::TransferRead, Access::TransferWrite],
        )
    })
    .unwrap()
}

/// Values travel compute -> output -> transfer -> host, round after round, held together by timelines alone: the
/// next round's write waits until the copy of this round has been read.
fn values_travel_over_three_queues(gpu: &Gpu) {
    let (made, kept) = (device_buffer(gpu, "made"), device_buffer(gpu, "kept"));
    let download = gpu.buffer("shown", 4 * WORDS, BufferKind::Download).unwrap();
    let to_output = copying(gpu, Queue::Output, &made, &kept);
    let to_host = copying(gpu, Queue::Transfer, &kept, &download);
    let [produced, rendered, downloaded] =
        ["produced", "rendered", "downloaded"].map(|name| gpu.timeline(name).unwrap());
    for round in 1..=20u64 {
        let value = 0x0101_0101 * round as u32;
        let fill = gpu
            .record("produce", Queue::Compute, |r| r.fill(&made, value))
            .unwrap();
        let pass = |waits: &[(&Timeline, u64)], recording, signal: &Timeline| {
            let waits = waits
                .iter()
                .map(|(timeline, value)| ((*timeline).clone(), *value))
                .collect();
            [Batch {
                waits,
                recordings: vec![recording],
                signals: vec![(signal.clone(), round)],
            }]
        };
        gpu.submit(Queue::Compute, &pass(&[(&rendered, round - 1)], &fill, &produced))
            .unwrap();
        let waits = [(&produced, round), (&downloaded, round - 1)];
        gpu.submit(Queue::Output, &pass(&waits, &to_output, &rendered))
            .unwrap();
        gpu.submit(
            Queue::Transfer,
            &pass(&[(&rendered, round)], &to_host, &downloaded),
        )
        .unwrap();
        assert!(downloaded.wait(round, LIMIT).unwrap());
        let found = words(download.bytes().unwrap());
        assert!(found.iter().all(|&word| word == value), "round {round}");
    }
}

#[test]
fn timelines_order_work_across_three_queues() {
    let Some(gpu) = gpu() else { return };
    values_travel_over_three_queues(&gpu);
}

#[test]
fn three_queue_work_runs_on_a_single_queue() {
    let Some(gpu) = gpu_with(OpenOptions {
        single_queue: true,
        ..OpenOptions::default()
    }) else {
        return;
    };
    values_travel_over_three_queues(&gpu);
}

#[test]
fn submission_waits_for_host_signal_and_keeps_its_resources_alive() {
    let Some(gpu) = gpu() else { return };
    let (go, done) = (gpu.timeline("go").unwrap(), gpu.timeline("done").unwrap());
    let shown = gpu.buffer("shown", 4 * WORDS, BufferKind::Download).unwrap();
    {
        let source = device_buffer(&gpu, "dropped early");
        let first = gpu.record("fill", Queue::Compute, |r| {
            r.fill(&source, 42)?;
            r.barrier(&[Access::TransferWrite], &[Access::TransferRead])
        });
        let (first, second) = (first.unwrap(), copying(&gpu, Queue::Compute, &source, &shown));
        let batch = Batch {
            waits: vec![(go.clone(), 3)],
            recordings: vec![&first, &second],
            signals: vec![(done.clone(), 7)],
        };
        gpu.submit(Queue::Compute, &[batch]).unwrap();
    }
    assert!(
        !done.wait(7, Duration::from_millis(30)).unwrap(),
        "nobody has said go"
    );
    assert_eq!(done.value().unwrap(), 0);
    assert!(
        gpu.live_allocations()
            .iter()
            .any(|item| item.name == "dropped early")
    );
    go.signal(3).unwrap();
    assert!(done.wait(7, LIMIT).unwrap());
    assert_eq!(go.value().unwrap(), 3);
    assert!(words(shown.bytes().unwrap()).iter().all(|&word| word == 42));
    gpu.wait_idle().unwrap();
    assert!(
        !gpu.live_allocations()
            .iter()
            .any(|item| item.name == "dropped early")
    );
}

#[test]
fn closing_does_not_wait_for_missing_signals() {
    let Some(gpu) = gpu() else { return };
    let [never, chained, done] = ["never", "chained", "done"].map(|name| gpu.timeline(name).unwrap());
    let buffer = device_buffer(&gpu, "left behind");
    let fill = gpu
        .record("fill", Queue::Compute, |r| r.fill(&buffer, 1))
        .unwrap();
    let abandoned = Batch {
        waits: vec![(never.clone(), 5)],
        recordings: vec![&fill],
        signals: vec![(never.clone(), 6), (chained.clone(), 1)],
    };
    let follower = Batch {
        waits: vec![(chained.clone(), 1), (never.clone(), 6)],
        recordings: vec![],
        signals: vec![(done, 1)],
    };
    gpu.submit(Queue::Compute, &[abandoned]).unwrap();
    gpu.submit(Queue::Output, &[follower]).unwrap();
    drop((fill, buffer, never, chained));
    let (closed, wait) = mpsc::channel();
    let closing = std::thread::spawn(move || {
        let messages = gpu.close();
        closed.send(()).unwrap();
        messages
    });
    wait.recv_timeout(LIMIT).expect("closing hangs");
    assert_eq!(closing.join().unwrap(), Vec::<String>::new());
}

#[test]
fn recordings_can_be_resubmitted_while_running() {
    let Some(gpu) = gpu() else { return };
    let (a, b) = (device_buffer(&gpu, "a"), device_buffer(&gpu, "b"));
    run_on(&gpu, Queue::Compute, |r| r.fill(&a, 9));
    let copy = copying(&gpu, Queue::Compute, &a, &b);
    let done = gpu.timeline("done").unwrap();
    for round in 1..=50 {
        let batch = || Batch {
            recordings: vec![&copy],
            ..Batch::default()
        };
        let last = Batch {
            signals: vec![(done.clone(), round)],
            ..batch()
        };
        gpu.submit(Queue::Compute, &[batch(), last]).unwrap();
    }
    assert!(done.wait(50, LIMIT).unwrap());
    assert!(words(&contents(&gpu, &b)).iter().all(|&word| word == 9));
}

#[test]
fn threads_submit_to_one_queue_concurrently() {
    let Some(gpu) = gpu() else { return };
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let gpu: &Gpu = &gpu;
            scope.spawn(move || {
                for round in 0..20 {
                    let value = 1000 * thread + round;
                    let buffer = gpu.buffer("of a thread", 64, BufferKind::Device).unwrap();
                    run_on(gpu, Queue::Compute, |r| r.fill(&buffer, value));
                    assert_eq!(words(&contents(gpu, &buffer)), [value; 16]);
                }
            });
        }
    });
}

#[test]
fn timelines_only_increase() {
    let Some(gpu) = gpu() else { return };
    let timeline = gpu.timeline("clock").unwrap();
    timeline.signal(4).unwrap();
    for value in [0, 3, 4] {
        let error = timeline.signal(value).unwrap_err().to_string();
        assert!(
            error.contains("'clock'") && error.contains("reached 4"),
            "{error}"
        );
    }
    assert!(timeline.wait(4, Duration::ZERO).unwrap());
    assert!(!timeline.wait(5, Duration::ZERO).unwrap());
}

#[test]
fn timestamps_increase_with_work() {
    let Some(gpu) = gpu() else { return };
    let times = gpu.timestamps(3).unwrap();
    assert_eq!(times.read().unwrap(), None, "nothing is written yet");
    let (small, large) = (
        device_buffer(&gpu, "small"),
        gpu.buffer("large", 64 << 20, BufferKind::Device).unwrap(),
    );
    let timed = gpu.record("timed", Queue::Compute, |r| {
        r.reset_timestamps(&times)?;
        r.timestamp(&times, 0)?;
        r.fill(&small, 1)?;
        r.timestamp(&times, 1)?;
        r.fill(&large, 2)?;
        r.timestamp(&times, 2)
    });
    let timed = timed.unwrap();
    for _ in 0..3 {
        gpu.submit(
            Queue::Compute,
            &[Batch {
                recordings: vec![&timed],
                ..Batch::default()
            }],
        )
        .unwrap();
        gpu.wait_idle().unwrap();
        let read = times.read().unwrap().expect("the work is done");
        assert_eq!(read[0], 0.0);
        assert!(0.0 <= read[1] && read[1] < read[2], "{read:?}");
        // 64 MiB at more than 100 TB/s or in more than a minute would mean a wrong unit.
        assert!((670.0..60e9).contains(&(read[2] - read[1])), "{read:?}");
    }
    times.reset();
    assert_eq!(times.read().unwrap(), None);
}
