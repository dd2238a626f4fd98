//! Several cells of a row as one access: every type that has it, sizes that are multiples of the width and others, and
//! what is a fault.

use sastrugi::run::fault::FaultKind;

use super::*;

/// Types with the bytes of a value, and the components of two and of four as shaders see them.
const TYPES: [(&str, usize, &str); 5] = [
    ("float", 4, "vec"),
    ("int", 4, "ivec"),
    ("uint", 4, "uvec"),
    ("half", 2, "vec"),
    ("uint8", 1, "uvec"),
];

/// Turns each group of cells round, where the width divides the row, and copies single cells elsewhere.
fn kernel(axes: usize, width: usize, kind: &str, entries: Option<u32>) -> String {
    let turned = if width == 2 { "yx" } else { "wzyx" };
    let k = if entries.is_some() { ", k" } else { "" };
    let last = entries.unwrap_or(1);
    format!(
        "void stage(ivec{axes} i) {{
            for (uint k = 0u; k < {last}u; k++) {{
                if (stage_width == 1) set_air_b(i{k}, air_a(i{k}));
                else {{ {kind}{width} v = air_a_x{width}(i{k}); set_air_b_x{width}(i{k}, v.{turned}); }}
            }}
        }}"
    )
}

fn file(cells: &[u64], element: &str, entries: Option<u32>, width: usize) -> Value {
    let channel = match entries {
        None => json!({"type": element, "background": 0}),
        Some(count) => json!({"type": element, "count": count, "background": 0}),
    };
    json!({
        "run": {"dt": 1},
        "grids": {"air": {"cells": cells, "cell_size": 1, "channels": {"a": channel, "b": channel}}},
        "step": [{"stage": "turn", "over": "air", "tuning": {"vector_width": width},
                  "reads": ["air.a"], "writes": ["air.b"]}]
    })
}

/// Finite values of a type, as bytes.
fn values(element: &str, bytes: usize, count: usize) -> Vec<u8> {
    let number = |i: usize| (i * 2_654_435_761 + 12345) as u32 >> 7;
    (0..count)
        .flat_map(|i| match (element, bytes) {
            ("float", _) => ((number(i) % 999) as f32 - 400.5).to_le_bytes().to_vec(),
            // No infinity and no NaN: the exponent is below 30.
            ("half", _) => ((number(i) & 0x77ff) as u16).to_le_bytes().to_vec(),
            (_, bytes) => number(i).to_le_bytes()[..bytes].to_vec(),
        })
        .collect()
}

/// The same values with each group of a row turned round.
fn turned(values: &[u8], bytes: usize, row: usize, width: usize) -> Vec<u8> {
    let elements: Vec<&[u8]> = values.chunks_exact(bytes).collect();
    let from = |i: usize| i / width * width + (width - 1 - i % width);
    (0..elements.len())
        .flat_map(|i| elements[if row.is_multiple_of(width) { from(i) } else { i }].to_vec())
        .collect()
}

#[test]
fn vector_accessors_equal_scalar_accessors() {
    let Some(gpu) = common::gpu() else { return };
    let shapes: [&[u64]; 5] = [&[8, 5, 3], &[7, 2, 3], &[130, 3, 2], &[12, 5], &[6, 3]];
    let mut sweep = common::sweep(6, 70);
    for (element, bytes, kind) in TYPES {
        for (cells, width, entries) in [
            (shapes[0], 4, None),
            (shapes[0], 2, Some(3)),
            (shapes[1], 4, Some(2)),
            (shapes[2], 2, None),
            (shapes[3], 4, Some(2)),
            (shapes[4], 2, None),
            (shapes[4], 4, None),
        ] {
            let case = format!("{element} {cells:?} by {width}, {entries:?} entries");
            let count = cells.iter().product::<u64>() as usize * entries.unwrap_or(1) as usize;
            let given = values(element, bytes, count);
            let wanted = turned(&given, bytes, cells[0] as usize, width);
            let text = kernel(cells.len(), width, kind, entries);
            for options in [Options::PLAIN, CHECKED] {
                if sweep.skips() {
                    continue;
                }
                let file = file(cells, element, entries, width);
                let mut simulation = simulation(&gpu, &file, &[("turn.comp", &text)], options);
                simulation.write("air.a", &given).unwrap();
                simulation.step(false).unwrap();
                assert_no_fault(&mut simulation);
                assert!(simulation.read("air.b").unwrap() == wanted, "{case}");
            }
            let is_turned = cells[0].is_multiple_of(width as u64);
            assert_eq!(
                given != wanted,
                is_turned,
                "control, {case}: turned round or as they were"
            );
        }
    }
}

#[test]
fn misaligned_vector_access_is_a_fault() {
    let Some(gpu) = common::gpu() else { return };
    for (body, writes, index) in [
        (
            "uvec4 v = air_a_x4(i + ivec3(1, 0, 0)); set_air_b_x4(i, v);",
            false,
            [1, 0, 0],
        ),
        (
            "uvec4 v = air_a_x4(i); set_air_b_x2(i + ivec3(1, 0, 0), v.xy);",
            true,
            [1, 0, 0],
        ),
    ] {
        let text = format!(
            "#pragma reach air_a 4\n#pragma reach air_b 4\n\
             void stage(ivec3 i) {{ if (i == ivec3(0)) {{ {body} }} }}"
        );
        let mut simulation = simulation(
            &gpu,
            &file(&[8, 2, 2], "uint", None, 4),
            &[("turn.comp", &text)],
            CHECKED,
        );
        simulation.step(false).unwrap();
        let fault = fault(&mut simulation).unwrap();
        assert_eq!(fault.kind, FaultKind::Unaligned { writes });
        assert_eq!(fault.index, index);
        let verb = if writes { "wrote" } else { "read" };
        let wanted = format!(
            "stage `turn` {verb} several cells of `air.{}` at once from index (1, 0, 0) on",
            if writes { "b" } else { "a" }
        );
        assert!(fault.to_string().contains(&wanted), "{fault}");
    }
}

#[test]
fn workgroups_know_their_count_and_vector_width() {
    let Some(gpu) = common::gpu() else { return };
    for (side, width) in [(12, 4), (10, 1)] {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"air": {"cells": [side, 1, 1], "cell_size": 1, "channels": {"a": {"type": "uint", "background": 0}}}},
            "buffers": {"found": {"type": "uint", "length": 2, "background": 0}},
            "step": [{"stage": "look", "groups": 7, "tuning": {"workgroup": [32, 1, 1], "vector_width": 4},
                      "reads": ["air.a"], "writes": ["found"]}]
        });
        let text = "void stage(uvec3 group, uint local) {
            if (group.x == 0u && local == 0u) { set_found(0u, uint(stage_width) + 0u * air_a_x4(ivec3(0)).x); set_found(1u, stage_groups); }
        }";
        let mut simulation = simulation(&gpu, &file, &[("look.comp", text)], Options::PLAIN);
        simulation.step(false).unwrap();
        assert_eq!(common::words(&simulation.read("found").unwrap()), [width, 7]);
    }
}
