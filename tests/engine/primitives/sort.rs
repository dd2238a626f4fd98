//! `{"sort": ...}`: particles in the order of a key.

use sastrugi::particles::live;
use serde_json::json;

use super::reference::radix_sort::{order, part};
use super::*;

const MAX_PARTICLES: u32 = 1_000_000;

fn sorting(set: Value, entry: Value) -> Value {
    let mut set = set;
    set["attributes"] = json!({
        "key": {"type": "uint", "background": 0},
        "name": {"type": "uint", "background": 0},
        "place": {"type": "uvec3", "background": 0}
    });
    let mut sort = entry;
    sort["sort"] = json!("p");
    sort["by"] = json!("p.key");
    json!({
        "run": {"dt": 1},
        "particles": {"p": set},
        "buffers": {"starts": {"type": "uint", "length": 1000, "background": 7}},
        "step": [sort]
    })
}

/// Sorts these keys and compares everything that follows from them.
fn check(simulation: &mut Simulation, keys: &[u32], (first, count): (u32, u32), what: &str) {
    let room = simulation.read("p.key").unwrap().len() / 4;
    let mut all = keys.to_vec();
    all.resize(room, 0);
    let names: Vec<u32> = (0..room as u32).collect();
    let places: Vec<u32> = names.iter().flat_map(|i| [*i, 2 * i, !i]).collect();
    for (field, words) in [("p.key", &all), ("p.name", &names), ("p.place", &places)] {
        simulation.write(field, &common::bytes(words)).unwrap();
    }
    if simulation.pipeline().field("p_live").is_some() {
        let words = live::words(keys.len() as u32, 0, 0);
        simulation.write("p_live", &common::bytes(&words)).unwrap();
    }
    simulation.step(false).unwrap();
    let order = order(keys, first, count);
    let sorted: Vec<u32> = order.iter().map(|i| keys[*i as usize]).collect();
    let places: Vec<u32> = order.iter().flat_map(|i| [*i, 2 * i, !i]).collect();
    for (field, expected) in [("p.key", &sorted), ("p.name", &order), ("p.place", &places)] {
        let found = read_words(simulation, field);
        assert_same(&found[..expected.len()], expected, &format!("{what}: {field}"));
    }
    let starts = read_words(simulation, "starts");
    let parts: Vec<u32> = sorted.iter().map(|key| part(*key, first, count)).collect();
    let expected: Vec<u32> = (0..1000)
        .map(|k| parts.partition_point(|part| *part < k) as u32)
        .collect();
    assert_same(&starts, &expected, &format!("{what}: offsets"));
    assert!(simulation.fault().unwrap().is_none());
}

#[test]
fn dynamic_sets_sort_at_every_size() {
    sorted(&[(3, 10)], 65_537);
}

#[test]
#[ignore = "long: up to a million particles, by some and by all bits"]
fn large_dynamic_sets_sort_by_all_bits() {
    sorted(&[(0, 32), (3, 10)], MAX_PARTICLES);
}

fn sorted(list: &[(u32, u32)], most: u32) {
    let Some(gpu) = common::gpu() else { return };
    for &bits in list {
        let (first, count) = bits;
        let entry = json!({"bits": [first, count], "offsets": "starts"});
        let mut simulation = simulation(&gpu, &sorting(json!({"capacity": most.max(70_000)}), entry));
        for size in [0].into_iter().chain(SIZES).filter(|size| *size <= most) {
            let what = format!("{size} particles by {count} bits");
            check(&mut simulation, &random(size, 2), bits, &what);
        }
        let same = vec![8; 5000];
        check(&mut simulation, &same, bits, "keys that are all the same");
        let falling: Vec<u32> = (0..70_000).rev().collect();
        check(&mut simulation, &falling, bits, "falling keys");
        let rising: Vec<u32> = (0..70_000).map(|i| i / 100).collect();
        check(&mut simulation, &rising, bits, "sorted keys");
    }
}

/// Sorts a static set a few times.
fn check_static(gpu: &Gpu, count: u32, ring: u32, bits: u32) {
    let entry = json!({"bits": bits, "offsets": "starts"});
    let mut simulation = simulation(gpu, &sorting(json!({"count": count, "ring": ring}), entry));
    for seed in 0..3 {
        let what = format!("{count} particles by {bits} bits, ring {ring}");
        check(&mut simulation, &random(count, seed), (0, bits), &what);
    }
}

#[test]
#[ignore = "long: kernels of its own"]
fn one_pass_sort_is_stable() {
    let Some(gpu) = common::gpu() else { return };
    check_static(&gpu, 10_001, 1, 1);
}

#[test]
#[ignore = "long: up to five passes, whose kernels are compiled each"]
fn static_sets_sort_in_any_number_of_passes() {
    let Some(gpu) = common::gpu() else { return };
    for (count, ring, bits) in [(10_001, 2, 8), (65_537, 1, 9), (4097, 3, 17)] {
        check_static(&gpu, count, ring, bits);
    }
}

#[test]
fn two_pass_sort_is_stable() {
    let Some(gpu) = common::gpu() else { return };
    check_static(&gpu, 10_001, 2, 11);
}

#[test]
fn sort_and_scan_work_with_subgroups_of_four_where_possible() {
    let Some(gpu) = common::gpu() else { return };
    common::run_with_subgroups_of_four(
        gpu,
        &[
            concat!(module_path!(), "::two_pass_sort_is_stable"),
            "engine::primitives::scan::scan_matches_the_reference_at_every_size",
        ],
    );
}
