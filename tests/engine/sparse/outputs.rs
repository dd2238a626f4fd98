//! Frames of sparse channels are the channels, cell by cell.

use super::*;

#[test]
fn sparse_files_match_the_grid_at_their_frame() {
    let Some(gpu) = common::gpu() else { return };
    let Some((ran, frames)) = program("rhythms.json", &["--checked"]) else {
        return;
    };
    assert_eq!(ran.code, Some(0), "{}", ran.text);
    let mut sim = simulation(&gpu, &file("rhythms.json"), CHECKED);
    let outputs = sim.pipeline().outputs.clone();
    let mut files = 0;
    let mut before = std::collections::HashMap::new();
    for frame in 1..=sim.pipeline().frames {
        for _ in 0..sim.pipeline().steps_per_frame {
            sim.step(false).unwrap();
        }
        for output in outputs.iter().filter(|output| frame.is_multiple_of(output.every)) {
            let name = format!("{}.{frame:04}.npy", output.name);
            let held = sim.read(&output.source).unwrap();
            let written = frames.get(&name).unwrap_or_else(|| panic!("{name} is not there"));
            let header = 10 + usize::from(u16::from_le_bytes([written[8], written[9]]));
            assert!(
                written[header..] == held,
                "{name} is not `{}` at frame {frame}",
                output.source
            );
            // Control: at other frames it holds something else.
            assert_ne!(
                before.insert(output.name.clone(), held.clone()),
                Some(held),
                "{name}"
            );
            files += 1;
        }
    }
    assert_eq!((files, frames.len()), (7 + 2 + 2 + 7 + 2 + 3, files));
    assert_no_fault(&mut sim);
}
