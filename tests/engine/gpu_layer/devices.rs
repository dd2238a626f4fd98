//! Listing and choosing devices.

use sastrugi::gpu::{Gpu, GpuError, OpenOptions, Queue, devices};

use super::common::{gpu, gpu_with};

#[test]
fn devices_are_ranked_and_the_first_is_chosen() {
    let Some(gpu) = gpu() else { return };
    let reports = devices().unwrap();
    let mut ranks: Vec<_> = reports.iter().map(|report| report.rank).collect();
    ranks.sort_unstable();
    assert_eq!(ranks, (0..reports.len()).collect::<Vec<_>>());
    let chosen: Vec<_> = reports.iter().filter(|report| report.chosen).collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0].rank, 0);
    assert_eq!(
        gpu.report(),
        chosen[0],
        "the device that opens is the one that the list announces"
    );
}

#[test]
fn device_report_has_required_facts() {
    let Some(gpu) = gpu() else { return };
    let report = gpu.report();
    assert!(report.refused.is_empty());
    assert!(
        report
            .heaps
            .iter()
            .any(|heap| heap.device_local && heap.bytes > 1 << 20)
    );
    assert!(
        report
            .queue_families
            .iter()
            .any(|family| family.compute && family.queues > 0)
    );
    let limits = gpu.limits();
    // Minimum that Vulkan 1.3 guarantees.
    assert!(limits.max_groups.iter().all(|&most| most >= 65_535), "{limits:?}");
    assert!(
        limits.max_group_invocations >= 128 && limits.max_group_size[0] >= 128,
        "{limits:?}"
    );
    assert!(limits.max_buffer_bytes >= 1 << 30, "{limits:?}");
    assert!(limits.subgroup_size.is_power_of_two(), "{limits:?}");
    assert!(
        (limits.min_subgroup_size..=limits.max_subgroup_size).contains(&limits.subgroup_size),
        "{limits:?}"
    );
}

#[test]
fn device_report_prints_as_text() {
    let Some(gpu) = gpu() else { return };
    let report = gpu.report();
    let text = report.to_string();
    let heading = format!("* {}: {}", report.index, report.name);
    assert!(text.starts_with(&heading), "{text}");
    for fact in [
        &report.driver_info,
        &report.api_version,
        "compute",
        "subgroup",
        "sparse",
        "GiB",
    ] {
        assert!(text.contains(fact), "no {fact} in\n{text}");
    }
    assert!(!text.contains("refused"), "{text}");
    let mut refused = report.clone();
    refused.chosen = false;
    refused
        .refused
        .push("it lacks the feature shaderInt64 (addresses are 64-bit integers)".into());
    let text = refused.to_string();
    assert!(
        text.starts_with(' ') && text.contains("refused      it lacks the feature shaderInt64"),
        "{text}"
    );
}

#[test]
fn an_unknown_device_name_lists_the_devices() {
    let Some(gpu) = gpu() else { return };
    let options = OpenOptions {
        device: Some("Voodoo 2".into()),
        ..OpenOptions::default()
    };
    let error = Gpu::open(&options).err().expect("there is no such device");
    assert!(matches!(error, GpuError::UnknownDevice { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("Voodoo 2") && text.contains(&gpu.report().name),
        "{text}"
    );
}

#[test]
fn devices_open_by_index_and_case_insensitive_substring() {
    let Some(first) = gpu() else { return };
    let name: String = first.report().name.to_uppercase().chars().take(6).collect();
    for wanted in [first.report().index.to_string(), name] {
        let gpu = gpu_with(OpenOptions {
            device: Some(wanted.clone()),
            ..OpenOptions::default()
        })
        .unwrap();
        assert_eq!(gpu.report().name, first.report().name, "opened as {wanted}");
    }
}

#[test]
fn single_queue_option_uses_one_queue() {
    let Some(gpu) = gpu_with(OpenOptions {
        single_queue: true,
        ..OpenOptions::default()
    }) else {
        return;
    };
    for queue in Queue::ALL {
        assert!(gpu.same_queue(Queue::Compute, queue), "{}", gpu.queue_summary());
    }
}

#[test]
fn queue_classes_have_own_queues_where_possible() {
    let Some(gpu) = gpu() else { return };
    let queues: u32 = gpu
        .report()
        .queue_families
        .iter()
        .map(|family| family.queues)
        .sum();
    if queues < 3 {
        crate::common::skip(format_args!("{} has {queues} queue(s)", gpu.report().name));
        return;
    }
    assert!(
        !gpu.same_queue(Queue::Compute, Queue::Output),
        "{}",
        gpu.queue_summary()
    );
    assert!(
        !gpu.same_queue(Queue::Compute, Queue::Transfer),
        "{}",
        gpu.queue_summary()
    );
}
