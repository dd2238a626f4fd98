//! Buffers: bytes that arrive, sizes at the edges, memory that comes back.

use sastrugi::gpu::{Access, BufferKind, GpuError, OpenOptions, Queue};

use super::common::{contents, gpu, gpu_with, run_on, words};

#[test]
fn fill_copy_and_download_keep_every_byte() {
    let Some(gpu) = gpu() else { return };
    let upload = gpu.buffer("upload", 37, BufferKind::Upload).unwrap();
    let data: Vec<u8> = (0..37).collect();
    upload.write(0, &data).unwrap();
    upload.write(5, &[200, 201]).unwrap();
    let filled = gpu.buffer("filled", 64, BufferKind::Device).unwrap();
    run_on(&gpu, Queue::Compute, |r| {
        r.fill(&filled, 0x0403_0201)?;
        r.barrier(&[Access::TransferWrite], &[Access::TransferWrite])?;
        r.copy(&upload, 3, &filled, 10, 34)
    });
    let mut expected: Vec<u8> = [1, 2, 3, 4].repeat(16);
    expected[10..44].copy_from_slice(&data[3..]);
    expected[12..14].copy_from_slice(&[200, 201]);
    assert_eq!(contents(&gpu, &filled), expected);
}

#[test]
fn transfer_queue_copies_and_fills() {
    let Some(gpu) = gpu() else { return };
    let source = gpu.buffer("source", 1 << 20, BufferKind::Device).unwrap();
    let download = gpu.buffer("to host", 1 << 20, BufferKind::Download).unwrap();
    run_on(&gpu, Queue::Transfer, |r| {
        r.fill(&source, 0xdead_beef)?;
        r.barrier(&[Access::TransferWrite], &[Access::TransferRead])?;
        r.copy(&source, 0, &download, 0, 1 << 20)?;
        r.barrier(&[Access::TransferWrite], &[Access::HostRead])
    });
    assert!(
        words(download.bytes().unwrap())
            .iter()
            .all(|&word| word == 0xdead_beef)
    );
}

#[test]
fn fills_reach_the_last_byte_of_any_size() {
    let Some(gpu) = gpu() else { return };
    for bytes in [1, 2, 3, 5, 15, 16, 17, 31, 4099] {
        let buffer = gpu.buffer("odd", bytes, BufferKind::Device).unwrap();
        assert_eq!(buffer.size(), bytes);
        run_on(&gpu, Queue::Compute, |r| r.fill(&buffer, 0x7777_7777));
        assert_eq!(
            contents(&gpu, &buffer),
            vec![0x77; bytes as usize],
            "{bytes} bytes"
        );
    }
}

#[test]
fn empty_buffer_has_an_address_and_no_contents() {
    let Some(gpu) = gpu() else { return };
    for kind in [BufferKind::Device, BufferKind::Upload, BufferKind::Download] {
        let empty = gpu.buffer("empty", 0, kind).unwrap();
        assert_eq!(empty.size(), 0);
        assert_ne!(empty.address(), 0);
        assert_eq!(empty.address() % 16, 0);
    }
    let empty = gpu.buffer("empty", 0, BufferKind::Download).unwrap();
    run_on(&gpu, Queue::Compute, |r| {
        r.fill(&empty, 1)?;
        r.copy(&empty, 0, &empty, 0, 0)
    });
    assert!(empty.bytes().unwrap().is_empty());
    gpu.buffer("empty", 0, BufferKind::Upload)
        .unwrap()
        .write(0, &[])
        .unwrap();
}

#[test]
fn oversized_buffer_is_refused_with_name_and_size() {
    let Some(gpu) = gpu() else { return };
    let heap = gpu.report().heaps.iter().map(|heap| heap.bytes).max().unwrap();
    let limit = gpu.limits().max_buffer_bytes;
    for bytes in [
        limit.saturating_add(1),
        heap.saturating_add(1).max(limit),
        u64::MAX - 3,
        u64::MAX,
    ] {
        let error = gpu
            .buffer("air.u", bytes, BufferKind::Device)
            .err()
            .expect("too large");
        assert!(
            matches!(&error, GpuError::BufferTooLarge { name, bytes: asked, .. } if name == "air.u" && *asked == bytes),
            "{error}"
        );
        assert!(error.to_string().contains(&bytes.to_string()), "{error}");
    }
    assert!(
        gpu.live_allocations().is_empty(),
        "a refused buffer leaves nothing behind"
    );
}

#[test]
fn allocations_are_named_and_freed_with_their_buffers() {
    let Some(gpu) = gpu() else { return };
    assert_eq!(gpu.live_allocations(), []);
    let kept = gpu.buffer("kept", 100, BufferKind::Device).unwrap();
    let other = gpu.buffer("other", 5000, BufferKind::Upload).unwrap();
    let clone = other.clone();
    drop(other);
    let names = || {
        let mut names: Vec<_> = gpu.live_allocations().into_iter().map(|item| item.name).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["kept", "other"]);
    drop(clone);
    assert_eq!(names(), ["kept"]);
    drop(kept);
    assert_eq!(gpu.live_allocations(), []);
}

#[test]
fn buffers_are_addressable_beyond_4_gib_where_possible() {
    let Some(gpu) = gpu() else { return };
    let bytes: u64 = (5 << 30) + 12;
    let room = gpu
        .report()
        .heaps
        .iter()
        .any(|heap| heap.device_local && heap.bytes > 4 * bytes);
    if gpu.limits().max_buffer_bytes < bytes || !room {
        crate::common::skip(format_args!("{} has no buffers of 5 GiB", gpu.report().name));
        return;
    }
    let large = gpu.buffer("large", bytes, BufferKind::Device).unwrap();
    let end = gpu.buffer("its end", 16, BufferKind::Download).unwrap();
    run_on(&gpu, Queue::Compute, |r| {
        r.fill(&large, 0x1234_5678)?;
        r.barrier(&[Access::TransferWrite], &[Access::TransferRead])?;
        r.copy(&large, bytes - 16, &end, 0, 16)?;
        r.barrier(&[Access::TransferWrite], &[Access::HostRead])
    });
    assert_eq!(words(end.bytes().unwrap()), [0x1234_5678; 4]);
}

#[test]
fn buffers_beyond_the_allocation_limit_work_where_possible() {
    const MAX_ALLOCATION: u64 = 1 << 20;
    let Some(gpu) = gpu_with(OpenOptions {
        lowered: format!("maxMemoryAllocationSize={MAX_ALLOCATION}")
            .parse()
            .unwrap(),
        ..OpenOptions::default()
    }) else {
        return;
    };
    if gpu.sparse().is_none() {
        crate::common::skip(format_args!(
            "{} does not support sparse binding",
            gpu.report().name
        ));
        return;
    }
    let before = gpu.live_allocations().len();
    let bytes = 3 * MAX_ALLOCATION + 48;
    let large = gpu.buffer("large", bytes, BufferKind::Device).unwrap();
    let of_buffer = || {
        (gpu.live_allocations().into_iter())
            .filter(|live| live.name == "large")
            .collect::<Vec<_>>()
    };
    assert!(of_buffer().len() >= 4 && of_buffer().iter().all(|live| live.bytes <= MAX_ALLOCATION));
    // Written across every seam, and read back through one.
    let numbers: Vec<u8> = (0..bytes).map(|byte| (byte * 7 % 251) as u8).collect();
    let mut back = Vec::new();
    for (number, part) in numbers.chunks(700_001).enumerate() {
        let upload = gpu.buffer("part", part.len() as u64, BufferKind::Upload).unwrap();
        upload.write(0, part).unwrap();
        let download = gpu
            .buffer("back", part.len() as u64, BufferKind::Download)
            .unwrap();
        let at = 700_001 * number as u64;
        run_on(&gpu, Queue::Compute, |r| {
            r.copy(&upload, 0, &large, at, part.len() as u64)?;
            r.barrier(&[Access::TransferWrite], &[Access::TransferRead])?;
            r.copy(&large, at, &download, 0, part.len() as u64)?;
            r.barrier(&[Access::TransferWrite], &[Access::HostRead])
        });
        back.extend_from_slice(download.bytes().unwrap());
    }
    assert!(back == numbers);
    drop(large);
    // Whatever finished work still holds is free once the device is idle.
    gpu.wait_idle().unwrap();
    assert_eq!((gpu.live_allocations().len(), of_buffer()), (before, vec![]));
    // Mapped memory is in one piece.
    let refused = gpu
        .buffer("mapped", bytes, BufferKind::Upload)
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("the largest mapped allocation") && refused.contains("1048576"),
        "{refused}"
    );
}
