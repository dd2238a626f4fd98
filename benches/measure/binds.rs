//! `measure binds`: measures the cost of binding memory to pages of sparse buffers on this device.
//!
//! Milliseconds from the call until the program sees that the pages are there, the median of 9: for fresh pages, for
//! taking them away, and for giving pages that are bound other memory. Scattered ranges have gaps of their own length
//! between them, so that no two make one entry.

use std::error::Error;
use std::time::{Duration, Instant};

use sastrugi::gpu::{Bind, BindEntry, Gpu, PageMemory, SparseBuffer, Timeline};

use super::common::{Measured, median, open};

const PAGE: u64 = 64 << 10;
const RANGE: u64 = 2 << 20;
const ROUNDS: usize = 9;
/// Maximum number of bytes that a case binds.
const MAX_BYTES: u64 = 100 * RANGE;
const TIMEOUT: Duration = Duration::from_secs(60);

/// Label, entries, bytes of each.
const CASES: [(&str, u64, u64); 7] = [
    ("1 page", 1, PAGE),
    ("10 scattered pages", 10, PAGE),
    ("100 scattered pages", 100, PAGE),
    ("1000 scattered pages", 1000, PAGE),
    ("1000 pages in one entry", 1, 1000 * PAGE),
    ("100 scattered ranges of 2 MiB", 100, RANGE),
    ("the same 200 MiB in one entry", 1, MAX_BYTES),
];

struct Bench {
    gpu: Gpu,
    buffer: SparseBuffer,
    memory: PageMemory,
    done: Timeline,
    calls: u64,
}

pub fn measure() -> Measured {
    let gpu = open()?;
    let Some(granularity) = gpu.sparse_granularity() else {
        println!("it does not support sparse binding");
        return Ok(());
    };
    println!("queues: {}", gpu.queue_summary());
    println!("granularity: {granularity} bytes; pages below are of {PAGE} bytes");
    let buffer = gpu.sparse_buffer("addresses", 2 * MAX_BYTES)?;
    let mut bench = Bench {
        // The second half is what bound pages are given instead.
        memory: gpu.page_memory("pages", 2 * MAX_BYTES, &buffer)?,
        done: gpu.timeline("bound")?,
        gpu,
        buffer,
        calls: 0,
    };
    println!("\n{:<30} {:>9} {:>9} {:>9}   ms", "", "bind", "unbind", "rebind");
    for (label, entries, bytes) in CASES {
        let [bind, unbind, rebind] = bench.measure(entries, bytes)?;
        println!("{label:<30} {bind:>9.3} {unbind:>9.3} {rebind:>9.3}");
    }
    Ok(())
}

impl Bench {
    /// Median times of binding, unbinding and rebinding.
    fn measure(&mut self, count: u64, bytes: u64) -> Result<[f64; 3], Box<dyn Error>> {
        let here = self.entries(count, bytes, Some(0));
        let there = self.entries(count, bytes, Some(MAX_BYTES));
        let away = self.entries(count, bytes, None);
        let mut times = [const { Vec::new() }; 3];
        // The first round warms up.
        for _ in 0..=ROUNDS {
            times[0].push(self.time(&here)?);
            times[1].push(self.time(&away)?);
            self.time(&here)?;
            times[2].push(self.time(&there)?);
            self.time(&away)?;
        }
        Ok(times.map(|list| median(&list[1..])))
    }

    /// Ranges with gaps between them, backed by memory from `start` on.
    fn entries(&self, count: u64, bytes: u64, start: Option<u64>) -> Vec<BindEntry> {
        let entry = |i| BindEntry {
            offset: 2 * i * bytes,
            bytes,
            memory: start.map(|start| (self.memory.clone(), start + i * bytes)),
        };
        (0..count).map(entry).collect()
    }

    fn time(&mut self, entries: &[BindEntry]) -> Result<f64, Box<dyn Error>> {
        self.calls += 1;
        let binds = [Bind {
            buffer: &self.buffer,
            entries,
        }];
        let signals = [(self.done.clone(), self.calls)];
        let start = Instant::now();
        self.gpu.bind(&[], &binds, &signals)?;
        if !self.done.wait(self.calls, TIMEOUT)? {
            return Err(format!("a bind is not done after {TIMEOUT:?}").into());
        }
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }
}
