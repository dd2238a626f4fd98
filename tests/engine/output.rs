//! Frames on disk: round trips, back-pressure, and what a failure leaves behind.

mod failures;
mod formats;
mod killed;
mod queue;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sastrugi::output::{Content, Format, Job, Payload, Scalar, frame_path};

/// Bytes that do not compress, the same for the same seed (xorshift64*).
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = |_| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56) as u8
    };
    (0..length).map(next).collect()
}

/// A one-dimensional npy frame of `u8`.
fn job(directory: &Path, frame: u64, payload: impl Payload + 'static, length: u64) -> Job {
    Job {
        output: "data".into(),
        frame,
        path: frame_path(directory, "data", frame, "npy"),
        content: Arc::new(Content::array(Format::Npy, Scalar::Colour, 1, &[length])),
        payload: Box::new(payload),
    }
}

/// Names in a directory, hidden ones too, sorted.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn is_root() -> bool {
    // /proc/self belongs to the user of the process.
    std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap()) == 0
}
