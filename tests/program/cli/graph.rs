//! The plan as a drawing.

use super::*;

#[test]
fn graph_joins_lists_by_shared_fields() {
    let drawn = |format: &str| {
        let ran = Ran::of(
            sastrugi()
                .args(["graph", TINY, "--format", format])
                .output()
                .unwrap(),
        );
        ran.exits(0).stdout
    };
    let joins = |text: &str, mark: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains(mark));
        lines.map(|line| line.trim().to_string()).collect()
    };
    // `climb` reads `box.heat` too, but from `settle` of the same step.
    assert_eq!(
        joins(&drawn("mermaid"), "-.->"),
        [
            "init0 -.->|\"box.heat\"| step0",
            "init1 -.->|\"dots.position\"| step2",
            "step1 -.->|\"box.heat\"| frame0",
        ]
    );
    assert_eq!(
        joins(&drawn("dot"), "dashed"),
        [
            "init0 -> step0 [label=\"box.heat\", style=dashed];",
            "init1 -> step2 [label=\"dots.position\", style=dashed];",
            "step1 -> frame0 [label=\"box.heat\", style=dashed];",
        ]
    );
}
