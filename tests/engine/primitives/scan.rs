//! `scan(...)`: exclusive prefix sums of a buffer.

use serde_json::json;

use super::reference::scan::scan;
use super::*;

#[test]
fn scan_matches_the_reference_at_every_size() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(3, SIZES.len());
    for size in SIZES {
        if sweep.skips() {
            continue;
        }
        let file = json!({
            "run": {"dt": 1},
            "buffers": {
                "values": {"type": "uint", "length": size, "background": 1},
                "starts": {"type": "uint", "length": size + 1}
            },
            "step": [{"set": "starts", "to": "scan(values)"}, {"set": "values", "to": "scan(values)"}]
        });
        let mut simulation = simulation(&gpu, &file);
        let values = random(size, 1);
        simulation.write("values", &common::bytes(&values)).unwrap();
        simulation.step(false).unwrap();
        let (mut sums, total) = scan(&values);
        assert_same(
            &read_words(&mut simulation, "values"),
            &sums,
            &format!("{size} values in place"),
        );
        sums.push(total);
        assert_same(
            &read_words(&mut simulation, "starts"),
            &sums,
            &format!("{size} values"),
        );
        assert!(simulation.fault().unwrap().is_none());
    }
}

#[test]
#[should_panic(expected = "a wrong sum: element 2 is 2, not 3")]
fn control_scan_comparison_detects_a_wrong_sum() {
    assert_same(&[0, 1, 2], &scan(&[1, 2, 0]).0, "a wrong sum");
}
