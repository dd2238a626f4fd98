//! Sparse buffers: pages that come, go and move, seen by what kernels find in them.

mod field;

use std::time::Duration;

use sastrugi::gpu::{
    Batch, Bind, BindEntry, Buffer, BufferKind, ComputePipeline, ComputePipelineInfo, Gpu, GpuError,
    OpenOptions, PageMemory, Queue, Recorder, SparseBuffer,
};

use field::Field;

use super::common::{LIMIT, TestGpu, contents, gpu, gpu_with, run_on, spirv, words};

/// For each page of a list (its byte offset): MODE 0 writes `base + word index` to all of its words, MODE 1 counts
/// those that do not hold `base + word index`, where base is the page's second word of the list.
const PAGES: &str = r"
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint MODE = 0;
layout(constant_id = 1) const uint WORDS = 1;
layout(buffer_reference, scalar) buffer Words { uint word[]; };
struct Page { uint64_t offset; uint base; uint unused; };
layout(buffer_reference, scalar) readonly buffer Pages { Page page[]; };
layout(buffer_reference, scalar) readonly buffer Arguments { uint64_t data; Pages pages; Words wrong; };
layout(push_constant) uniform Push { Arguments arguments; };
void main() {
    Page page = arguments.pages.page[gl_WorkGroupID.x];
    Words data = Words(arguments.data + page.offset);
    for (uint i = gl_LocalInvocationID.x; i < WORDS; i += 64) {
        if (MODE == 0) data.word[i] = page.base + i;
        else if (data.word[i] != page.base + i) atomicAdd(arguments.wrong.word[gl_WorkGroupID.x], 1);
    }
}
";

/// A device that binds pages, or `None` with the reason printed.
pub fn sparse_gpu(options: OpenOptions) -> Option<TestGpu> {
    let gpu = gpu_with(options)?;
    if gpu.sparse().is_none() {
        crate::common::skip(format_args!(
            "{} does not support sparse binding",
            gpu.report().name
        ));
        return None;
    }
    Some(gpu)
}

#[test]
fn contents_follow_rebound_memory_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let field = Field::new(&gpu, 1000);
    let memory = field.memory(3);
    // The memory's order is not the places' order.
    field.bind(&[
        field.entry(0, Some((&memory, 2))),
        field.entry(999, Some((&memory, 0))),
        field.entry(500, Some((&memory, 1))),
    ]);
    let first = [(0, 1000), (500, 70_000), (999, 0x8000_0000)];
    field.write(&first);
    field.assert_holds(&first);
    // The check can fail.
    assert_eq!(field.wrong(&[(0, 1000), (500, 70_001)]), [500]);

    // Away, and back at other places in one call; one stays.
    field.bind(&[
        field.entry(0, None),
        field.entry(999, None),
        field.entry(1, Some((&memory, 2))),
        field.entry(998, Some((&memory, 0))),
    ]);
    let moved = [(1, 1000), (500, 70_000), (998, 0x8000_0000)];
    field.assert_holds(&moved);

    // A bound page gets other memory without being unbound first, and swaps are one call.
    field.bind(&[
        field.entry(1, Some((&memory, 0))),
        field.entry(998, Some((&memory, 2))),
    ]);
    field.assert_holds(&[(998, 1000), (500, 70_000), (1, 0x8000_0000)]);
}

#[test]
fn writes_to_unbound_pages_are_discarded_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let field = Field::new(&gpu, 64);
    let memory = field.memory(32);
    let even: Vec<_> = (0..32).map(|i| field.entry(2 * i, Some((&memory, i)))).collect();
    field.bind(&even);
    let bound: Vec<_> = (0..32).map(|i| (2 * i, 1 + i as u32 * 100_000)).collect();
    field.write(&bound);
    let stray: Vec<_> = (0..32).map(|i| (2 * i + 1, 7)).collect();
    field.write(&stray);
    field.assert_holds(&bound);
    // Memory that is bound where a stray write went keeps its own contents.
    field.bind(&[field.entry(0, None), field.entry(1, Some((&memory, 0)))]);
    field.assert_holds(&[(1, 1)]);
    field.assert_holds(&bound[1..]);
}

#[test]
fn many_bind_entries_in_one_call_work_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    // Every other page, so that nothing merges, in memory of two chunks and backwards.
    const COUNT: u64 = 2000;
    let field = Field::new(&gpu, 2 * COUNT);
    let chunks = [field.memory(COUNT / 2), field.memory(COUNT / 2)];
    let entries: Vec<_> = (0..COUNT)
        .map(|i| field.entry(2 * i, Some((&chunks[i as usize % 2], (COUNT - 1 - i) / 2))))
        .collect();
    field.bind(&entries);
    let pages: Vec<_> = (0..COUNT).map(|i| (2 * i, 1 + 65_536 * i as u32)).collect();
    field.write(&pages);
    field.assert_holds(&pages);
    // One long entry instead.
    let all = field.memory(2 * COUNT);
    field.bind(&[BindEntry {
        offset: 0,
        bytes: 2 * COUNT * field.page,
        memory: Some((all.clone(), 0)),
    }]);
    drop((entries, chunks));
    let pages: Vec<_> = (0..2 * COUNT).map(|i| (i, 9 + 32_768 * i as u32)).collect();
    field.write(&pages);
    field.assert_holds(&pages);
}

#[test]
fn one_call_binds_two_buffers_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let (a, b) = (Field::new(&gpu, 8), Field::new(&gpu, 8));
    let memory = a.memory(2);
    let done = gpu.timeline("bound").unwrap();
    let binds = [
        Bind {
            buffer: &a.buffer,
            entries: &[a.entry(3, Some((&memory, 0)))],
        },
        Bind {
            buffer: &b.buffer,
            entries: &[],
        },
        Bind {
            buffer: &b.buffer,
            entries: &[b.entry(3, Some((&memory, 1)))],
        },
    ];
    gpu.bind(&[], &binds, &[(done.clone(), 1)]).unwrap();
    assert!(done.wait(1, LIMIT).unwrap());
    a.write(&[(3, 11)]);
    b.write(&[(3, 22)]);
    a.assert_holds(&[(3, 11)]);
    b.assert_holds(&[(3, 22)]);
}

/// The program lets a bind go; a dispatch waits for the bind, the next bind for the dispatch. All of it, with every
/// handle dropped, is submitted before anything runs.
fn binds_and_dispatches_wait_for_each_other(gpu: &Gpu) {
    let field = Field::new(gpu, 4);
    let [go, bound, written, moved] =
        ["go", "bound", "written", "moved"].map(|name| gpu.timeline(name).unwrap());
    let before = gpu.live_allocations().len();
    let kept = {
        let memory = field.memory(1);
        let arguments = field.arguments(&[(2, 5)]);
        let write = gpu
            .record("write", Queue::Compute, |r| field.record_write(r, &arguments, 1))
            .unwrap();
        let bind = |waits: &[_], entries: &[BindEntry], signals: &[_]| {
            let binds = [Bind {
                buffer: &field.buffer,
                entries,
            }];
            gpu.bind(waits, &binds, signals).unwrap();
        };
        bind(
            &[(go.clone(), 1)],
            &[field.entry(2, Some((&memory, 0)))],
            &[(bound.clone(), 1)],
        );
        let batch = Batch {
            waits: vec![(bound.clone(), 1)],
            recordings: vec![&write],
            signals: vec![(written.clone(), 1)],
        };
        gpu.submit(Queue::Compute, &[batch]).unwrap();
        let entries = [field.entry(2, None), field.entry(0, Some((&memory, 0)))];
        bind(&[(written.clone(), 1)], &entries, &[(moved.clone(), 1)]);
        memory
    };
    assert!(
        !bound.wait(1, Duration::from_millis(30)).unwrap(),
        "nobody has said go"
    );
    assert_eq!(written.value().unwrap(), 0);
    go.signal(1).unwrap();
    assert!(moved.wait(1, LIMIT).unwrap());
    field.assert_holds(&[(0, 5)]);
    // A call without binds passes the signal on, after the calls before it.
    gpu.bind(&[(moved.clone(), 1)], &[], &[(moved.clone(), 2)])
        .unwrap();
    assert!(moved.wait(2, LIMIT).unwrap());
    field.bind(&[field.entry(0, None)]);
    drop(kept);
    gpu.wait_idle().unwrap();
    assert_eq!(gpu.live_allocations().len(), before);
}

#[test]
fn binds_and_dispatches_synchronize_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    binds_and_dispatches_wait_for_each_other(&gpu);
}

#[test]
fn binds_run_on_a_single_queue_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions {
        single_queue: true,
        ..OpenOptions::default()
    }) else {
        return;
    };
    assert!(gpu.same_queue(Queue::Compute, Queue::Sparse));
    binds_and_dispatches_wait_for_each_other(&gpu);
}

#[test]
fn page_memory_outlives_binds_in_flight_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let [go, done] = ["go", "done"].map(|name| gpu.timeline(name).unwrap());
    {
        let field = Field::new(&gpu, 4);
        assert_eq!(gpu.live_allocations(), [], "addresses take no memory");
        let memory = field.memory(2);
        let live = gpu.live_allocations();
        assert_eq!((live[0].name.as_str(), live[0].bytes), ("pages", 2 * field.page));
        let entries = [field.entry(1, Some((&memory, 1)))];
        let binds = [Bind {
            buffer: &field.buffer,
            entries: &entries,
        }];
        gpu.bind(&[(go.clone(), 1)], &binds, &[(done.clone(), 1)])
            .unwrap();
    }
    assert!(!done.wait(1, Duration::from_millis(30)).unwrap());
    assert_eq!(gpu.live_allocations().len(), 1, "the bind holds it");
    go.signal(1).unwrap();
    assert!(done.wait(1, LIMIT).unwrap());
    gpu.wait_idle().unwrap();
    assert_eq!(gpu.live_allocations(), []);
}

#[test]
fn closing_abandons_unsignalled_binds_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let [never, chained] = ["never", "chained"].map(|name| gpu.timeline(name).unwrap());
    let page = gpu.sparse_granularity().unwrap();
    let buffer = gpu.sparse_buffer("left behind", page).unwrap();
    let memory = gpu.page_memory("left behind", page, &buffer).unwrap();
    let entries = [BindEntry {
        offset: 0,
        bytes: page,
        memory: Some((memory, 0)),
    }];
    let binds = [Bind {
        buffer: &buffer,
        entries: &entries,
    }];
    gpu.bind(&[(never.clone(), 3)], &binds, &[(chained.clone(), 1)])
        .unwrap();
    gpu.bind(&[(chained.clone(), 1)], &[], &[(never.clone(), 4)])
        .unwrap();
    drop((entries, buffer, never, chained));
    let (closed, wait) = std::sync::mpsc::channel();
    let closing = std::thread::spawn(move || {
        let messages = gpu.close();
        closed.send(()).unwrap();
        messages
    });
    wait.recv_timeout(LIMIT).expect("closing hangs");
    assert_eq!(closing.join().unwrap(), Vec::<String>::new());
}

#[test]
fn reservations_are_whole_pages_and_are_freed_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let page = gpu.sparse_granularity().unwrap();
    for (bytes, pages) in [(0, 1), (1, 1), (page, 1), (page + 1, 2)] {
        let buffer = gpu.sparse_buffer("rounded", bytes).unwrap();
        assert_eq!(buffer.size(), pages * page, "{bytes} bytes");
        assert_eq!(buffer.name(), "rounded");
    }
    let space = gpu.sparse().unwrap().address_space_bytes;
    // Half of it, again and again: each reservation is given back.
    let half = (space / 2).min(gpu.limits().max_buffer_bytes) / page * page;
    for _ in 0..5 {
        let buffer = gpu.sparse_buffer("half", half).unwrap();
        assert_ne!(buffer.address(), 0);
    }
}

#[test]
fn oversized_reservations_are_refused_where_possible() {
    let Some(gpu) = sparse_gpu(OpenOptions::default()) else {
        return;
    };
    let space = gpu.sparse().unwrap().address_space_bytes;
    let largest = gpu.limits().max_buffer_bytes;
    for bytes in [space.saturating_add(1), largest.saturating_add(1), u64::MAX] {
        let error = gpu.sparse_buffer("air", bytes).err().expect("too large");
        assert!(
            matches!(&error, GpuError::BufferTooLarge { name, bytes: asked, .. } if name == "air" && *asked == bytes),
            "{error}"
        );
    }
    // A refused reservation is not counted, so the rest still fits; live ones are counted.
    let page = gpu.sparse_granularity().unwrap();
    if space > largest {
        crate::common::skip("in part: one buffer cannot take the whole address space");
        return;
    }
    let some = gpu.sparse_buffer("some", page).unwrap();
    let error = gpu.sparse_buffer("all", space / page * page).err();
    let error = error.expect("some of it is taken").to_string();
    assert!(
        error.contains("'all'") && error.contains(&page.to_string()),
        "{error}"
    );
    drop(some);
}

#[test]
fn sparse_report_agrees_with_the_queue() {
    let Some(gpu) = gpu() else { return };
    let facts = &gpu.report().sparse;
    if let Some(sparse) = gpu.sparse() {
        assert_eq!(sparse, facts);
        assert!(sparse.binding && sparse.residency_buffer && sparse.address_space_bytes > 0);
        assert!(gpu.sparse_granularity().unwrap().is_power_of_two());
        return;
    }
    assert_eq!(gpu.sparse_granularity(), None);
    for error in [
        gpu.sparse_buffer("air", 1).err().unwrap(),
        gpu.bind(&[], &[], &[]).unwrap_err(),
    ] {
        assert!(error.to_string().contains("page by page"), "{error}");
    }
}
