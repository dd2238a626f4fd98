//! Misuse of sparse memory ends in an error naming the object, before Vulkan hears of it.

use sastrugi::gpu::{Bind, BindEntry, Gpu, GpuError, OpenOptions, PageMemory, Queue, SparseBuffer};

use super::sparse::sparse_gpu;

fn refused(gpu: &Gpu, object: &str, buffer: &SparseBuffer, entries: &[BindEntry]) -> String {
    let binds = [Bind { buffer, entries }];
    is_misuse(gpu.bind(&[], &binds, &[]).unwrap_err(), object)
}

fn is_misuse(error: GpuError, object: &str) -> String {
    assert!(matches!(error, GpuError::Misuse { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(object), "{text}");
    text
}

fn entry(offset: u64, bytes: u64, memory: Option<(&PageMemory, u64)>) -> BindEntry {
    BindEntry {
        offset,
        bytes,
        memory: memory.map(|(memory, offset)| (memory.clone(), offset)),
    }
}

#[test]
fn binds_outside_or_across_pages_are_refused_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let page = gpu.sparse_granularity().unwrap();
    let buffer = gpu.sparse_buffer("air", 8 * page).unwrap();
    let memory = gpu.page_memory("pages of air", 2 * page, &buffer).unwrap();
    let of_buffer = |entry| refused(&gpu, "sparse buffer 'air'", &buffer, &[entry]);
    let text = of_buffer(entry(7 * page, 2 * page, None));
    assert!(text.contains(&format!("it has {} bytes", 8 * page)), "{text}");
    of_buffer(entry(8 * page, page, None));
    of_buffer(entry(u64::MAX - page + 1, page, None));
    of_buffer(entry(0, 0, None));
    let text = of_buffer(entry(page / 2, page, None));
    assert!(text.contains(&format!("pages are of {page} bytes")), "{text}");
    of_buffer(entry(0, page + 16, None));
    let of_memory = |entry| refused(&gpu, "page memory 'pages of air'", &buffer, &[entry]);
    of_memory(entry(0, page, Some((&memory, 2 * page))));
    of_memory(entry(0, 3 * page, Some((&memory, 0))));
    of_memory(entry(0, page, Some((&memory, u64::MAX - page + 1))));
    of_memory(entry(0, page, Some((&memory, page / 2))));
}

#[test]
fn overlapping_bind_entries_are_refused_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let page = gpu.sparse_granularity().unwrap();
    let [a, b] = ["air", "water"].map(|name| gpu.sparse_buffer(name, 8 * page).unwrap());
    let twice = [entry(3 * page, page, None), entry(2 * page, 2 * page, None)];
    let text = refused(&gpu, "sparse buffer 'air'", &a, &twice);
    assert!(text.contains("overlap"), "{text}");
    let bind = |buffer, entries| Bind { buffer, entries };
    let (low, high) = ([entry(0, 4 * page, None)], [entry(3 * page, page, None)]);
    let error = gpu.bind(&[], &[bind(&b, &low), bind(&a, &high), bind(&b, &high)], &[]);
    is_misuse(error.unwrap_err(), "sparse buffer 'water'");
    gpu.bind(&[], &[bind(&a, &low), bind(&b, &high)], &[]).unwrap();
    gpu.wait_idle().unwrap();
}

#[test]
fn sparse_objects_of_another_device_are_refused_where_possible() {
    let (Some(here), Some(there)) = (
        sparse_gpu(OpenOptions::default()),
        sparse_gpu(OpenOptions::default()),
    ) else {
        return;
    };
    let page = here.sparse_granularity().unwrap();
    let buffer = here.sparse_buffer("air", page).unwrap();
    let foreign = there.sparse_buffer("foreign", page).unwrap();
    let memory = there.page_memory("foreign", page, &foreign).unwrap();
    refused(&here, "sparse buffer 'foreign'", &foreign, &[]);
    let entries = [entry(0, page, Some((&memory, 0)))];
    refused(&here, "page memory 'foreign'", &buffer, &entries);
    let error = here.page_memory("pages", page, &foreign).err().unwrap();
    is_misuse(error, "sparse buffer 'foreign'");
    let timeline = there.timeline("foreign").unwrap();
    for (waits, signals) in [
        (vec![(timeline.clone(), 1)], vec![]),
        (vec![], vec![(timeline, 1)]),
    ] {
        is_misuse(
            here.bind(&waits, &[], &signals).unwrap_err(),
            "timeline 'foreign'",
        );
    }
    let held = here.record("holds", Queue::Compute, |r| r.hold_sparse(&foreign));
    is_misuse(held.err().unwrap(), "sparse buffer 'foreign'");
}

#[test]
fn page_memory_must_be_whole_fitting_pages_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let page = gpu.sparse_granularity().unwrap();
    let buffer = gpu.sparse_buffer("air", page).unwrap();
    for bytes in [0, page + 1, page / 2] {
        let error = gpu.page_memory("odd", bytes, &buffer).err().unwrap();
        is_misuse(error, "page memory 'odd'");
    }
    let heap = gpu.report().heaps.iter().map(|heap| heap.bytes).max().unwrap();
    let error = gpu.page_memory("huge", heap / page * page + page, &buffer);
    let error = error.err().expect("more than any heap");
    assert!(
        matches!(&error, GpuError::OutOfMemory { name, .. } if name == "huge"),
        "{error}"
    );
    assert_eq!(gpu.live_allocations(), []);
}
