//! Negative controls: what the test helper and the validation layer must catch is provoked here, and is caught.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sastrugi::gpu::{BufferKind, Gpu, OpenOptions, Queue};

use super::common::{TestGpu, gpu, run_on};

/// Two writes to the same bytes without a barrier between them.
fn provoke_a_hazard(gpu: &Gpu) {
    let buffer = gpu.buffer("written twice", 4096, BufferKind::Device).unwrap();
    run_on(gpu, Queue::Compute, |r| {
        r.fill(&buffer, 1)?;
        r.fill(&buffer, 2)
    });
}

#[test]
fn validation_detects_a_missing_barrier() {
    let Some(gpu) = gpu() else { return };
    provoke_a_hazard(&gpu);
    let messages = gpu.take_validation_messages();
    assert!(
        messages
            .iter()
            .any(|text| text.contains("SYNC-HAZARD-WRITE-AFTER-WRITE")),
        "synchronization validation is not on: {messages:?}"
    );
    assert_eq!(
        gpu.take_validation_messages(),
        Vec::<String>::new(),
        "taking empties the log"
    );
}

#[test]
fn validation_messages_name_the_object() {
    let Some(gpu) = gpu() else { return };
    let times = gpu.timestamps(1).unwrap();
    run_on(&gpu, Queue::Compute, |r| {
        r.timestamp(&times, 0)?;
        r.timestamp(&times, 0)
    });
    let messages = gpu.take_validation_messages();
    assert!(
        messages
            .iter()
            .any(|text| text.contains("not reset") && text.contains("[timestamps]")),
        "core validation is not on, or names no objects: {messages:?}"
    );
}

#[test]
fn validation_message_fails_its_test() {
    let Some(gpu) = gpu() else { return };
    let failed = catch_unwind(AssertUnwindSafe(|| {
        let gpu: TestGpu = gpu;
        provoke_a_hazard(&gpu);
    }));
    let payload = failed.expect_err("the helper let a validation message pass");
    let text = payload.downcast_ref::<String>().expect("a message");
    assert!(text.contains("SYNC-HAZARD-WRITE-AFTER-WRITE"), "{text}");
}

#[test]
fn validation_off_loads_no_layer() {
    let Some(watched) = gpu() else { return };
    drop(watched);
    let gpu = Gpu::open(&OpenOptions::default()).unwrap();
    assert!(!gpu.validation_layer_loaded());
    provoke_a_hazard(&gpu);
    assert_eq!(gpu.take_validation_messages(), Vec::<String>::new());
}
