//! Shared memory between ranks of one host.

use std::time::Duration;

use sastrugi::gpu::{BufferKind, Queue};
use sastrugi::run::Windows;

use super::*;

const TIMEOUT: Duration = Duration::from_secs(60);

/// Opens a window of two ranks and copies bytes from the device of rank 0 to that of rank 1 through it.
fn sent_through_a_window(gpu: &Gpu, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u64;
    let send = |ranks: &Ranks| {
        let windows = Windows::open(gpu, ranks, &[1], length, TIMEOUT).unwrap();
        let (own, _) = windows.with(1).unwrap();
        let source = gpu.buffer("source", length, BufferKind::Upload).unwrap();
        source.write(0, bytes).unwrap();
        copied(gpu, |recorder| recorder.copy(&source, 0, own, 0, length));
        ranks
            .exchange("of news", 0, &[(1, &[])], &mut [], TIMEOUT)
            .unwrap();
        // The memory lives until it is read.
        ranks
            .exchange("of the end", 0, &[], &mut [(1, &mut [])], TIMEOUT)
            .unwrap();
    };
    let receive = |ranks: &Ranks| {
        let windows = Windows::open(gpu, ranks, &[0], 1, TIMEOUT).unwrap();
        let (_, theirs) = windows.with(0).unwrap();
        let target = gpu.buffer("target", length, BufferKind::Download).unwrap();
        ranks
            .exchange("of news", 0, &[], &mut [(0, &mut [])], TIMEOUT)
            .unwrap();
        copied(gpu, |recorder| recorder.copy(theirs, 0, &target, 0, length));
        ranks
            .exchange("of the end", 0, &[(0, &[])], &mut [], TIMEOUT)
            .unwrap();
        target.bytes().unwrap().to_vec()
    };
    let ranks = Ranks::threads(2);
    thread::scope(|scope| {
        scope.spawn(|| send(&ranks[0]));
        scope.spawn(|| receive(&ranks[1])).join().unwrap()
    })
}

pub fn copied(
    gpu: &Gpu,
    commands: impl FnOnce(&mut sastrugi::gpu::Recorder) -> Result<(), sastrugi::gpu::GpuError>,
) {
    let recording = gpu
        .record("copy", Queue::Transfer, |recorder| {
            commands(recorder)?;
            recorder.full_barrier();
            Ok(())
        })
        .unwrap();
    let done = gpu.timeline("copied").unwrap();
    let batch = sastrugi::gpu::Batch {
        waits: Vec::new(),
        recordings: vec![&recording],
        signals: vec![(done.clone(), 1)],
    };
    gpu.submit(Queue::Transfer, &[batch]).unwrap();
    done.wait(1, TIMEOUT).unwrap();
}

#[test]
fn bytes_pass_through_a_window() {
    let Some(gpu) = common::gpu() else { return };
    for length in [1, 3, 65_536, 100_001] {
        let bytes: Vec<u8> = (0..length).map(|n: u32| (n % 251) as u8).collect();
        assert_eq!(sent_through_a_window(&gpu, &bytes), bytes, "{length}");
    }
}

#[test]
fn rank_without_memory_sends_messages() {
    let Some(gpu) = common::gpu() else { return };
    let ranks = Ranks::threads(2);
    // Rank 1 sends nothing, so it offers nothing, and rank 0 must not wait for a window.
    let found = thread::scope(|scope| {
        let other = scope.spawn(|| {
            let windows = Windows::open(&gpu, &ranks[1], &[0], 0, TIMEOUT).unwrap();
            windows.with(0).is_some()
        });
        let windows = Windows::open(&gpu, &ranks[0], &[1], 64, TIMEOUT).unwrap();
        [windows.with(1).is_some(), other.join().unwrap()]
    });
    assert_eq!(found, [false, false]);
}
