//! Lists of stages by drawn numbers, as pipelines.

use std::collections::BTreeSet;

use sastrugi::ir::Pipeline;
use serde_json::{Value, json};

use super::super::pipeline;

/// Planes of the grid, which ranks share along z.
pub(super) const PLANES: i64 = 24;
pub(super) const ROWS: u64 = 4;
/// Two are arrays of three entries, of which one pair alternates between neighbours in z. Stages that keep the last one read and
/// write other elements; `g.m` decides which.
const FIELDS: [&str; 7] = ["g.a", "g.b", "g.c", "g.f", "g.h", "g.m", "g.u"];
pub(super) const ENTRIES: u32 = 3;

/// An entry of a list: a kind, two fields, two reaches, and how rarely it runs.
pub(super) type Drawn = (u8, usize, usize, u32, u32, u32);

/// The entries of drawn numbers, and their kernels.
fn entries(drawn: &[Drawn]) -> (Vec<Value>, Vec<(String, String)>) {
    let (mut list, mut kernels) = (Vec::new(), Vec::new());
    let mut stage = |reads: &[(usize, u32)], writes: &[(usize, u32)], every: u32, more: &str| {
        let name = format!("s{}", kernels.len());
        let names =
            |fields: &[(usize, u32)]| fields.iter().map(|(field, _)| FIELDS[*field]).collect::<Vec<_>>();
        let near = reads.iter().chain(writes).filter(|(_, reach)| *reach > 0);
        let pragmas = near.collect::<BTreeSet<_>>().into_iter();
        let pragmas = pragmas
            .map(|(field, reach)| format!("#pragma reach {} {reach}\n", FIELDS[*field].replace('.', "_")));
        let text = format!(
            "{}{more}#include \"stage.glsl\"\nvoid stage(ivec3 i) {{}}",
            pragmas.collect::<String>()
        );
        kernels.push((name.clone(), text));
        json!({"stage": name, "over": "g", "reads": names(reads), "writes": names(writes), "every": every})
    };
    for (number, (kind, x, shift, read, write, every)) in drawn.iter().copied().enumerate() {
        let y = (x + 1 + shift) % 3;
        let (f, h) = (3 + x % 2, 4 - x % 2);
        let accessor = FIELDS[f].replace('.', "_");
        let last = if read % 2 == 1 { "last" } else { "" };
        let alternates = format!(
            "#pragma offsets 3 0,0,1\n#pragma alternates {accessor} {last}\n#pragma reach {accessor} {} {}\n",
            read / 2 + 2,
            write % 2 + 1,
        );
        list.push(match kind {
            0..3 => stage(&[(x, read)], &[(y, write)], every, ""),
            3 => stage(&[(x, write)], &[(x, write)], every, ""),
            4 => json!({"swap": [FIELDS[x], FIELDS[y]]}),
            5 => json!({"set": FIELDS[y], "to": FIELDS[x]}),
            6 => json!({"set": FIELDS[x], "to": 1}),
            7 => json!({"set": "total", "to": format!("sum({})", FIELDS[x])}),
            8 => {
                let turns = [
                    stage(&[(x, read)], &[(y, write)], 1, ""),
                    stage(&[(f, 0)], &[(f, 0)], 1, &alternates),
                    stage(&[(y, write), (f, write)], &[(x, 0)], 1, ""),
                ];
                let count = json!({"stage": "count", "over": 1, "reads": ["going"], "writes": ["going"]});
                let copy = json!({"set": FIELDS[h], "to": FIELDS[f]});
                let stages = [&turns[..], &[copy, count]].concat();
                json!({"repeat": format!("turn{number}"), "over": 9, "while": "going", "stages": stages})
            }
            9..12 => stage(&[(f, 0), (y, write)], &[(f, 0)], every, &alternates),
            12 => stage(&[(x, 0)], &[(f, 0)], every, &alternates),
            13 => stage(&[(f, read)], &[(x, write)], every, ""),
            14 => stage(&[(x, read)], &[(f, write)], every, ""),
            15 => json!({"swap": [FIELDS[f], FIELDS[h]]}),
            16 | 17 => {
                let keeps = format!("#pragma keeps g_u g_m\n#pragma reach g_u {} 0\n", read + 1);
                let writes = if kind == 16 { 6 } else { x };
                stage(&[(5, 0), (6, 0)], &[(writes, 0)], every, &keeps)
            }
            18 => stage(&[(x, read)], &[([5, 6][shift], write)], every, ""),
            19 => stage(&[(6, read)], &[(x, 0)], every, ""),
            20 => json!({"set": FIELDS[h], "to": FIELDS[f]}),
            21..24 => {
                let target = [x, y, x][usize::from(kind) - 21];
                let axes = ["z", "y", "z, y"][read as usize % 3];
                let transform = json!({"set": FIELDS[target], "to": format!("hartley({}, {axes})", FIELDS[x])});
                json!({"every": every, "stages": [transform]})
            }
            _ => {
                let count = json!({"stage": "count", "over": 1, "reads": ["going"], "writes": ["going"]});
                let transform = |to: usize, from: usize| json!({"set": FIELDS[to], "to": format!("hartley({}, z)", FIELDS[from])});
                let stages = [transform(y, x), stage(&[(y, read)], &[(x, write)], 1, ""), transform(x, x), count];
                json!({"repeat": format!("turn{number}"), "over": 9, "while": "going", "stages": stages})
            }
        });
    }
    (list, kernels)
}

/// A pipeline with drawn stages. If its grid has several levels, stages may compute halos.
pub(super) fn drawn_pipeline(drawn: &[Drawn], levels: usize) -> Pipeline {
    let (list, mut kernels) = entries(drawn);
    kernels.push(("count".into(), "void stage(uint i) {}".into()));
    let channel = json!({"type": "float", "background": 0, "border": "clamp"});
    let array = json!({"type": "float", "background": 0, "count": ENTRIES});
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [2, ROWS, PLANES], "cell_size": 1, "levels": levels, "channels": {"a": channel, "b": channel, "c": channel,
            "f": array, "h": array, "m": channel, "u": channel}}},
        "buffers": {"total": {"type": "float", "length": 1, "background": 0},
            "going": {"type": "uint", "length": 1, "background": 3}},
        "step": list,
        "outputs": {"a": {"source": "g.a", "format": "npy"}}
    });
    let bodies: Vec<(&str, &str)> = kernels
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    pipeline(&file, &bodies)
}
