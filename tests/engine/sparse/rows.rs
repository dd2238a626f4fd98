//! Several cells of a row as one access: every type that has it, beside accesses of single cells.

use std::path::Path;

use serde_json::json;

use super::*;

const CELLS: [u64; 3] = [36, 10, 7];

/// Types with the bytes of a value, and vectors of them as shaders see them.
const TYPES: [(&str, usize, &str); 6] = [
    ("float", 4, "vec"),
    ("int", 4, "ivec"),
    ("uint", 4, "uvec"),
    ("half", 2, "vec"),
    ("uint8", 1, "uvec"),
    ("uint16", 2, "uvec"),
];

/// Blocks of which some have neighbours that are not active.
const ASK: &str = "void stage(ivec3 block) {
    bool wanted = ((block.x + block.y + block.z) & 1) == 0 || block.x == 1;
    if (wanted && block.z < 2) request_g_block(block);
}";

/// Values of the row that begins at `first`, of one 3 cells north of it, and of one beside and below it. The rows are near
/// enough for addresses without a search.
const ROWS: &str = "#pragma reach g_a REACH
    ivec3 north(ivec3 first) { return ivec3(first.x, min(first.y + 3, g_cells.y - 1), first.z); }
    ivec3 beside(ivec3 first) { return ivec3(min(first.x + WIDTH, g_cells.x - WIDTH), first.y, max(first.z - 2, 0)); }";

const VECTORS: [&str; 2] = [
    "void stage(ivec3 i) {
        KIND v = g_a_x2(i), n = g_a_x2(north(i)), e = g_a_x2(beside(i));
        set_g_b_x2(i, KIND(v.y, (i.z & 1) == 0 ? n.x : e.y));
    }",
    "void stage(ivec3 i) {
        KIND v = g_a_x4(i), n = g_a_x4(north(i)), e = g_a_x4(beside(i));
        set_g_b_x4(i, KIND(v.w, n.y, e.z, v.x));
    }",
];

const SINGLE: [&str; 2] = [
    "void stage(ivec3 i) {
        ivec3 x = ivec3(1, 0, 0), v = i - (i.x & 1) * x;
        set_g_b(i, (i.x & 1) == 0 ? g_a(v + x) : (i.z & 1) == 0 ? g_a(north(v)) : g_a(beside(v) + x));
    }",
    "void stage(ivec3 i) {
        ivec3 x = ivec3(1, 0, 0), v = i - (i.x & 3) * x;
        int k = i.x & 3;
        set_g_b(i, k == 0 ? g_a(v + 3 * x) : k == 1 ? g_a(north(v) + x) : k == 2 ? g_a(beside(v) + 2 * x) : g_a(v));
    }",
];

/// Values that are finite also as floats of 16 and of 32 bits.
fn values(bytes: usize, cells: [u64; 3]) -> Vec<u8> {
    let number = |i: u64| ((i * 2_654_435_761 + 12345) as u32 >> 5) & 0x37ff_37ff;
    (0..cells.iter().product::<u64>())
        .flat_map(|i| number(i).to_le_bytes()[..bytes].to_vec())
        .collect()
}

fn file(paging: &str, kind: &str) -> Value {
    json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": CELLS, "cell_size": 1, "sparse": {"block": [8, 4, 4], "paging": paging},
                        "channels": {"c": "uint8", "a": {"type": kind, "background": 1}, "b": kind}}},
        "init": [{"stage": "ask", "over": "g.blocks", "requests": ["g"]}, {"update_grid": "g"}],
        "step": [{"stage": "turn", "over": "g", "reads": ["g.a"], "writes": ["g.b"]}]
    })
}

fn pipeline_of(file: &Value, kernel: &str) -> Pipeline {
    let texts = kernels(&[("ask.comp", ASK), ("turn.comp", kernel)]);
    resolve(Path::new(""), file, &texts).unwrap_or_else(|problems| panic!("{problems}"))
}

/// `g.b` after a step with the kernel, whose invocations have `width` cells.
fn result(gpu: &Gpu, file: Value, given: &[u8], kernel: &str, width: u32, options: Options) -> Vec<u8> {
    let pragma = if width > 1 {
        format!("#pragma vector_width {width}\n")
    } else {
        String::new()
    };
    let pipeline = pipeline_of(&file, &(pragma + kernel));
    let turn = pipeline.stages.iter().find(|stage| stage.name == "turn").unwrap();
    assert_eq!(turn.stated.vector_width.unwrap_or(1), width);
    let mut simulation = Simulation::new(gpu, pipeline, &BTreeMap::new(), options).unwrap();
    simulation.write("g.a", given).unwrap();
    simulation.step(false).unwrap();
    assert_no_fault(&mut simulation);
    simulation.read("g.b").unwrap()
}

#[test]
fn rows_of_sparse_grids_equal_single_cells() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(9, 72);
    for (name, bytes, kind) in TYPES {
        let given = values(bytes, CELLS);
        for (vectors, single, width) in [(VECTORS[0], SINGLE[0], 2), (VECTORS[1], SINGLE[1], 4)] {
            let text = |body: &str, reach: &str| {
                let text = ROWS.to_string() + body;
                let text = text.replace("WIDTH", &width.to_string()).replace("REACH", reach);
                text.replace("KIND", &format!("{kind}{width}"))
            };
            let dense = file("dense", name);
            let wanted = result(&gpu, dense, &given, &text(single, "8"), 1, Options::PLAIN);
            assert!(wanted != given && wanted.iter().any(|byte| *byte != 0), "control");
            for paging in pagings(&gpu) {
                for options in [Options::PLAIN, CHECKED] {
                    if sweep.skips() {
                        continue;
                    }
                    let reach = if options == CHECKED { "8" } else { "4" };
                    let file = file(paging, name);
                    let found = result(&gpu, file, &given, &text(vectors, reach), width, options);
                    assert!(found == wanted, "{name} by {width}, paging {paging}");
                }
            }
        }
    }
}

/// A grid whose blocks together have more than 4 GiB of addresses, few of them active. llvmpipe has fewer addresses.
#[test]
fn offsets_of_64_bits_lead_to_the_cells_that_a_search_finds() {
    let Some(gpu) = common::gpu() else { return };
    let space = gpu.report().sparse.address_space_bytes;
    if !pagings(&gpu).contains(&"sparse") || space < 8 << 30 {
        return common::skip(format!("the device has {space} bytes of sparse addresses"));
    }
    let cells = [36, 10, 1024];
    let large = |paging: &str| {
        let mut file = file(paging, "uint");
        file["grids"]["g"]["cells"] = json!(cells);
        file["grids"]["g"]["channels"]["c"] = json!({"type": "float", "count": 1100});
        file
    };
    let single = "#pragma reach g_a 4
        void stage(ivec3 i) {
            ivec3 east = ivec3(min(i.x + 4, g_cells.x - 1), i.yz), north = ivec3(i.x, max(i.y - 3, 0), i.z + 2);
            set_g_b(i, g_a(east) ^ g_a(north) << 1);
        }";
    let rows = (ROWS.to_string() + VECTORS[1])
        .replace("WIDTH", "4")
        .replace("REACH", "4")
        .replace("KIND", "uvec4");
    let addresses = |file: &Value| {
        let pipeline = pipeline_of(file, single);
        pipeline.sparse_grids().next().unwrap().1.layout.reserved_bytes()
    };
    assert!(addresses(&large("sparse")) > 1 << 32 && addresses(&file("dense", "uint")) < 1 << 32);
    let given = values(4, cells);
    for (kernel, width) in [(single, 1), (rows.as_str(), 4)] {
        let [near, searched] = ["sparse", "table"]
            .map(|paging| result(&gpu, large(paging), &given, kernel, width, Options::PLAIN));
        assert!(near == searched, "{width} cells per invocation");
        assert!(near.iter().any(|byte| *byte != 0), "control");
    }
}

/// Kernels over sub-blocks access the rows of their own one.
#[test]
fn rows_of_sub_blocks_equal_single_cells() {
    const ROWS: &str = "#pragma reach g_a 0
        void stage(uint i, ivec3 first) {
            ivec3 end = min(first + g_sub_cells, g_cells);
            for (int z = first.z; z < end.z; z++) for (int y = first.y; y < end.y; y++)
                for (int x = first.x; x < end.x; x += stage_width)
                    set_g_b_x4(ivec3(x, y, z), g_a_x4(ivec3(x, y, z)).wzyx);
        }";
    const CELL: &str = "#pragma reach g_a 3
        void stage(ivec3 i) { set_g_b(i, g_a(ivec3(i.x ^ 3, i.yz))); }";
    let Some(gpu) = common::gpu() else { return };
    let given = values(4, CELLS);
    let wanted = result(&gpu, file("dense", "uint"), &given, CELL, 1, Options::PLAIN);
    for options in [Options::PLAIN, CHECKED] {
        let mut of_sub_blocks = file("table", "uint");
        of_sub_blocks["step"][0]["over"] = json!("g.sub_blocks");
        let found = result(&gpu, of_sub_blocks, &given, ROWS, 4, options);
        assert!(found == wanted && found != given, "checked: {}", options.checked);
    }
}
