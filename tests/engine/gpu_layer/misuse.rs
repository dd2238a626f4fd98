//! Misuse that ends in an error naming the object, before Vulkan hears of it: each test runs under validation, so a
//! call that went through would fail it.

use sastrugi::gpu::{Access, Batch, BufferKind, ComputePipelineInfo, Gpu, GpuError, Queue, Recorder};

use super::common::{gpu, spirv};

const NOTHING: &str = "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n";

/// The error of a recording; it must be a misuse that names `object`.
fn refused(
    gpu: &Gpu,
    queue: Queue,
    object: &str,
    commands: impl FnOnce(&mut Recorder) -> Result<(), GpuError>,
) -> String {
    let error = gpu
        .record("wrong", queue, commands)
        .err()
        .expect("it is a mistake");
    assert!(matches!(error, GpuError::Misuse { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(object), "{text}");
    text
}

#[test]
fn ranges_outside_a_buffer_are_refused() {
    let Some(gpu) = gpu() else { return };
    let a = gpu.buffer("a", 100, BufferKind::Device).unwrap();
    let b = gpu.buffer("b", 50, BufferKind::Upload).unwrap();
    let text = refused(&gpu, Queue::Compute, "'b'", |r| r.copy(&a, 0, &b, 0, 51));
    assert!(text.contains("51") && text.contains("50"), "{text}");
    refused(&gpu, Queue::Compute, "'a'", |r| r.copy(&a, 90, &b, 0, 11));
    refused(&gpu, Queue::Compute, "'a'", |r| r.copy(&a, u64::MAX, &b, 0, 1));
    refused(&gpu, Queue::Compute, "'a'", |r| r.copy(&a, 0, &a, 10, 11));
    gpu.record("right", Queue::Compute, |r| r.copy(&a, 0, &a, 10, 10))
        .unwrap();
    let text = b.write(40, &[0; 11]).unwrap_err().to_string();
    assert!(text.contains("'b'") && text.contains("offset 40"), "{text}");
    b.write(39, &[0; 11]).unwrap();
}

#[test]
fn buffer_kinds_limit_host_access() {
    let Some(gpu) = gpu() else { return };
    for (kind, may_write, may_read) in [
        (BufferKind::Device, false, false),
        (BufferKind::Upload, true, false),
        (BufferKind::Download, false, true),
    ] {
        let buffer = gpu.buffer("some", 16, kind).unwrap();
        assert_eq!(buffer.write(0, &[1]).is_ok(), may_write, "{kind:?}");
        assert_eq!(buffer.bytes().is_ok(), may_read, "{kind:?}");
    }
}

#[test]
fn transfer_queue_refuses_kernels() {
    let Some(gpu) = gpu() else { return };
    let pipeline = gpu
        .pipeline(&ComputePipelineInfo {
            name: "nothing",
            spirv: &spirv(NOTHING),
            constants: &[],
        })
        .unwrap();
    let counts = gpu.buffer("counts", 12, BufferKind::Device).unwrap();
    refused(&gpu, Queue::Transfer, "'nothing'", |r| {
        r.dispatch(&pipeline, 0, [1, 1, 1])
    });
    refused(&gpu, Queue::Transfer, "'nothing'", |r| {
        r.dispatch_indirect(&pipeline, 0, &counts, 0)
    });
    refused(&gpu, Queue::Transfer, "ShaderWrite", |r| {
        r.barrier(&[Access::ShaderWrite], &[Access::TransferRead])
    });
    let times = gpu.timestamps(1).unwrap();
    refused(&gpu, Queue::Transfer, "reset", |r| r.reset_timestamps(&times));
}

#[test]
fn dispatches_outside_the_limits_are_refused() {
    let Some(gpu) = gpu() else { return };
    let pipeline = gpu
        .pipeline(&ComputePipelineInfo {
            name: "nothing",
            spirv: &spirv(NOTHING),
            constants: &[],
        })
        .unwrap();
    for i in 0..3 {
        let mut groups = [1; 3];
        let Some(beyond) = gpu.limits().max_groups[i].checked_add(1) else {
            continue;
        };
        groups[i] = beyond;
        refused(&gpu, Queue::Compute, "'nothing'", |r| {
            r.dispatch(&pipeline, 0, groups)
        });
    }
    let counts = gpu.buffer("counts", 20, BufferKind::Device).unwrap();
    refused(&gpu, Queue::Compute, "'counts'", |r| {
        r.dispatch_indirect(&pipeline, 0, &counts, 12)
    });
    refused(&gpu, Queue::Compute, "'counts'", |r| {
        r.dispatch_indirect(&pipeline, 0, &counts, 6)
    });
    let times = gpu.timestamps(2).unwrap();
    refused(&gpu, Queue::Compute, "timestamp 2 of 2", |r| {
        r.timestamp(&times, 2)
    });
}

#[test]
fn recordings_are_bound_to_their_queue() {
    let Some(gpu) = gpu() else { return };
    let recording = gpu.record("for output", Queue::Output, |_| Ok(())).unwrap();
    let batch = || Batch {
        recordings: vec![&recording],
        ..Batch::default()
    };
    let error = gpu.submit(Queue::Compute, &[batch()]).unwrap_err().to_string();
    assert!(
        error.contains("'for output'") && error.contains("Output"),
        "{error}"
    );
    gpu.submit(Queue::Output, &[batch()]).unwrap();
}

#[test]
fn objects_of_another_device_are_refused() {
    let (Some(here), Some(there)) = (gpu(), gpu()) else {
        return;
    };
    let buffer = there.buffer("foreign", 16, BufferKind::Device).unwrap();
    refused(&here, Queue::Compute, "'foreign'", |r| r.fill(&buffer, 0));
    refused(&here, Queue::Compute, "'foreign'", |r| {
        r.copy(&buffer, 0, &buffer, 8, 8)
    });
    let pipeline = there
        .pipeline(&ComputePipelineInfo {
            name: "foreign",
            spirv: &spirv(NOTHING),
            constants: &[],
        })
        .unwrap();
    refused(&here, Queue::Compute, "'foreign'", |r| {
        r.dispatch(&pipeline, 0, [1, 1, 1])
    });
    let recording = there.record("foreign", Queue::Compute, |_| Ok(())).unwrap();
    let timeline = there.timeline("foreign").unwrap();
    let recordings = Batch {
        recordings: vec![&recording],
        ..Batch::default()
    };
    let signals = Batch {
        signals: vec![(timeline, 1)],
        ..Batch::default()
    };
    for batch in [recordings, signals] {
        let error = here.submit(Queue::Compute, &[batch]).unwrap_err();
        assert!(
            matches!(&error, GpuError::Misuse { object, .. } if object.contains("'foreign'")),
            "{error}"
        );
    }
}

#[test]
fn invalid_spirv_is_refused_before_the_driver() {
    let Some(gpu) = gpu() else { return };
    for code in [&[][..], &[0x0302_2307, 0x0001_0600]] {
        let error = gpu
            .pipeline(&ComputePipelineInfo {
                name: "noise",
                spirv: code,
                constants: &[],
            })
            .err();
        let text = error.expect("it is no module").to_string();
        assert!(text.contains("'noise'") && text.contains("SPIR-V"), "{text}");
    }
}

#[test]
fn sparse_queue_accepts_only_binds() {
    let Some(gpu) = gpu() else { return };
    let text = refused(&gpu, Queue::Sparse, "'wrong'", |_| Ok(()));
    assert!(text.contains("binds"), "{text}");
    let error = gpu.submit(Queue::Sparse, &[Batch::default()]).unwrap_err();
    assert!(matches!(error, GpuError::Misuse { .. }), "{error}");
}
