//! Levels in names, operations, reductions, faults, series and modules.

use sastrugi::run::fault::FaultKind;
use sastrugi::run::measures::{Number, values};

use super::*;

/// Cells, spacing, positions and domain of every level, without a binding; and channels on faces.
#[test]
fn levels_have_the_grid_names_and_own_size() {
    let Some(gpu) = common::gpu() else { return };
    let size = [9, 5, 3];
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": size, "cell_size": 0.5, "origin": ORIGIN, "levels": "2 + 2", "channels": {
            "size": "ivec3", "place": "vec3", "u": {"type": "float", "at": "face_x"},
            "wide": {"type": "double", "background": 2}, "column": "uint"
        }}},
        "step": [{"repeat": "l", "over": "g.levels", "stages": [
            {"stage": "look", "over": "g[l]", "reads": ["g[l].wide"],
             "writes": ["g[l].size", "g[l].place", "g[l].wide"],
             "arguments": {"whole": "uint64(5 + l)", "middle": 0.5}},
            {"stage": "faces", "over": "g[l].u", "writes": ["g[l].u"]},
            {"stage": "columns", "over": "g[l].columns", "writes": ["g[l].column"]}
        ]}]
    });
    let kernels = [
        (
            "look.comp",
            "void stage(ivec3 cell) {
                set_g_size(cell, g_cells);
                vec3 place = g_position(cell);
                bool same = g_coordinates(place) == vec3(cell) + arg.middle && g_spacing == vec3(g_dx);
                set_g_place(cell, same ? place : vec3(-9.0));
                set_g_wide(cell, g_wide(cell) * double(arg.whole));
            }",
        ),
        (
            "faces.comp",
            "void stage(ivec3 i) { set_g_u(i, float(i.x + 100 * i.y + 1000 * i.z)); }",
        ),
        (
            "columns.comp",
            "void stage(ivec2 i) { for (int z = 0; z < g_cells.z; ++z) set_g_column(ivec3(i, z), uint(i.x)); }",
        ),
    ];
    let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
    sim.step(false).unwrap();
    assert_no_fault(&mut sim);
    assert_eq!((sim.pipeline().stages.len(), sim.pipelines()), (12, 3));
    for level in 0..4 {
        let size = halved(size, level);
        let elements = size.iter().product::<u64>() as usize;
        let wanted = size.map(|side| side as u32).repeat(elements);
        assert_eq!(
            read_words(&mut sim, &name(level, "size")),
            wanted,
            "level {level}"
        );
        let side = 0.5 * f64::from(1 << level);
        let places: Vec<f32> = cells(size)
            .flat_map(|cell| {
                let place = |axis: usize| ORIGIN[axis] + (cell[axis] as f64 + 0.5) * side;
                [0, 1, 2].map(|axis| place(axis) as f32)
            })
            .collect();
        assert_same(&read_floats(&mut sim, &name(level, "place")), &places, "place");
        let faces = [size[0] + 1, size[1], size[2]];
        let numbers = cells(faces).map(|[x, y, z]| (x + 100 * y + 1000 * z) as f32);
        assert_eq!(
            read_floats(&mut sim, &name(level, "u")),
            numbers.collect::<Vec<_>>(),
            "level {level}"
        );
        let columns: Vec<u32> = cells(size).map(|[x, ..]| x as u32).collect();
        assert_eq!(
            read_words(&mut sim, &name(level, "column")),
            columns,
            "level {level}"
        );
        // 64-bit arguments follow sizes of 32 bits.
        let wide = sim.read(&name(level, "wide")).unwrap();
        assert_eq!(wide, f64::from(10 + 2 * level).to_le_bytes().repeat(elements));
    }
}

#[test]
fn fills_copies_swaps_and_reductions_accept_levels() {
    let Some(gpu) = common::gpu() else { return };
    let size = [65, 9, 5];
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": size, "cell_size": 1, "levels": "all", "channels": {
            "a": "float", "b": "float", "m": "mat3"
        }}},
        "buffers": {"most": {"type": "float", "length": 8}, "sum": {"type": "float", "length": 1}},
        "step": [
            {"repeat": "l", "over": "g.levels", "stages": [
                {"set": "g[l].a", "to": "10 + l"},
                {"set": "g[l].b", "to": "g[l].a"},
                {"set": "g[l].a", "to": "-l"},
                {"set": "g[l].m", "to": ["l", 1, 2, 3, 4, 5, 6, 7, 8]}
            ]},
            {"repeat": "l", "over": [1, 3], "stages": [{"swap": ["g[l].a", "g[l].b"]}]},
            {"set": "sum", "to": "max(g[g.levels - 1].b)"},
            {"set": "sum", "to": "sum(g[2].b)"}
        ]
    });
    let mut sim = simulation(&gpu, &file, &[], CHECKED);
    sim.step(false).unwrap();
    assert_no_fault(&mut sim);
    let levels = count(size);
    assert_eq!(levels, 8);
    for level in 0..levels {
        let elements = halved(size, level).iter().product::<u64>() as usize;
        let (mut a, mut b) = (-(level as f32), 10.0 + level as f32);
        if [1, 3].contains(&level) {
            (a, b) = (b, a);
        }
        assert_eq!(
            read_floats(&mut sim, &name(level, "a")),
            vec![a; elements],
            "level {level}"
        );
        assert_eq!(
            read_floats(&mut sim, &name(level, "b")),
            vec![b; elements],
            "level {level}"
        );
        let matrix = [level as f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        assert_eq!(
            read_floats(&mut sim, &name(level, "m")),
            matrix.repeat(elements),
            "level {level}"
        );
    }
    let cells = halved(size, 2).iter().product::<u64>() as f32;
    assert_eq!(read_floats(&mut sim, "sum"), [12.0 * cells]);
    // Fills of floats are one pipeline, of matrices another, copies the third; two reductions follow.
    assert_eq!(sim.pipelines(), 5);
}

/// Each level's stage has results of its own, from as many elements as the level has.
#[test]
fn reductions_run_over_levels() {
    let Some(gpu) = common::gpu() else { return };
    for size in [[1, 1, 1], [7, 5, 3], [65, 33, 9]] {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": size, "cell_size": 1, "levels": "all", "channels": {"a": "float"}}},
            "buffers": {"n": {"type": "uint", "length": 1}, "all": {"type": "uint", "length": 16}},
            "step": [{"repeat": "l", "over": "g.levels", "stages": [
                {"stage": "number", "over": "g[l]", "writes": ["g[l].a"], "reduces": {"n": "count"}},
                {"stage": "keep", "over": 1, "reads": ["n"], "writes": ["all"],
                 "arguments": {"l": "uint(l)"}}
            ]}]
        });
        let kernels = [
            (
                "number.comp",
                "void stage(ivec3 cell) { set_g_a(cell, 1.0); count_n(cell.x < 5); }",
            ),
            ("keep.comp", "void stage(uint i) { set_all(arg.l, n(0u)); }"),
        ];
        let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
        sim.step(false).unwrap();
        assert_no_fault(&mut sim);
        let counted = read_words(&mut sim, "all");
        for level in 0..count(size) {
            let [x, y, z] = halved(size, level);
            assert_eq!(
                u64::from(counted[level as usize]),
                x.min(5) * y * z,
                "{size:?}, level {level}"
            );
        }
    }
}

#[test]
fn faults_name_the_level() {
    let Some(gpu) = common::gpu() else { return };
    for (level, field) in [(0, "g.a"), (1, "g[1].a"), (2, "g[2].a")] {
        for (body, wanted) in [
            ("set_g_a(g_cells - 1, 1.0);", None),
            ("set_g_a(ivec3(g_cells.x, 0, 0), 1.0);", Some(true)),
            ("set_g_a(ivec3(0), g_a(ivec3(g_cells.x, 0, 0)));", Some(false)),
        ] {
            let file = json!({
                "run": {"dt": 1},
                "grids": {"g": {"cells": [9, 5, 3], "cell_size": 1, "levels": 3,
                    "channels": {"a": {"type": "float", "background": 3}}}},
                "step": [{"repeat": "l", "over": 3, "stages": [
                    {"stage": "hit", "over": 1, "bind": {"g": "g[l]"}, "reads": ["g.a"], "writes": ["g.a"],
                     "arguments": {"hits": [0, 0]}}
                ]}]
            });
            let mut file = file;
            file["step"][0]["stages"][0]["arguments"]["hits"] = json!(["l", level]);
            let kernel = format!("void stage(uint i) {{ if (arg.hits.x == arg.hits.y) {{ {body} }} }}");
            let mut sim = simulation(&gpu, &file, &[("hit.comp", &kernel)], CHECKED);
            sim.step(false).unwrap();
            let found = fault(&mut sim).map(|fault| (fault.field, fault.kind, fault.index, fault.size));
            let size = halved([9, 5, 3], level);
            let wanted = wanted.map(|writes| {
                let kind = if writes {
                    FaultKind::WroteOutside
                } else {
                    FaultKind::ReadOutside
                };
                (field.to_string(), kind, vec![size[0] as i64, 0, 0], size.to_vec())
            });
            assert_eq!(found, wanted, "{field}: {body}");
        }
    }
}

#[test]
fn series_and_watch_accept_levels() {
    let Some(gpu) = common::gpu() else { return };
    for bad in [false, true] {
        let file = json!({
            "run": {"dt": 1, "watch_every": 1, "watch_fields": ["g[two].a", "g.a"]},
            "parameters": {"two": 2},
            "grids": {"g": {"cells": [9, 5, 3], "cell_size": 1, "levels": "all",
                "channels": {"a": {"type": "float", "bounds": [0, 1000]}, "f": {"type": "float", "count": 2}}}},
            "step": [
                {"repeat": "l", "over": "g.levels", "stages": [
                    {"stage": "number", "over": "g[l]", "writes": ["g[l].a", "g[l].f"],
                     "arguments": {"level": if bad { json!("l - 2") } else { json!("l") }}}
                ]}
            ],
            "outputs": {"s": {"format": "csv", "values": {
                "sum": "sum(g[two].a)", "first": "g[ two - 1 ].a[4, 2, 1]", "entry": "max(g[3].f[1])",
                "one": "g[1].f[0, 0, 0, 1]", "fine": "max(g[0].a)"
            }}}
        });
        let kernel = "void stage(ivec3 cell) {
            set_g_a(cell, arg.level);
            for (uint k = 0u; k < 2u; ++k) set_g_f(cell, k, 10.0 * arg.level + float(k));
        }";
        let mut sim = simulation(&gpu, &file, &[("number.comp", kernel)], CHECKED);
        sim.step(false).unwrap();
        sim.frame(false).unwrap();
        sim.finish().unwrap();
        let found = sim.first_bad().unwrap().map(|bad| bad.to_string());
        if bad {
            let found = found.unwrap();
            assert!(found.starts_with("`g.a` has -2.0 at cell (0, 0, 0)"), "{found}");
            continue;
        }
        assert_eq!(found, None);
        let pipeline = sim.pipeline().clone();
        let series = &pipeline.series[0];
        let bytes = sim.read(&pipeline.fields[series.partials].name).unwrap();
        let numbers: Vec<f64> = (values(&pipeline, series, &bytes).into_iter())
            .map(|number| match number {
                Number::Whole(value) => value as f64,
                Number::Float(value) => value,
            })
            .collect();
        // Level 2 has 3 x 2 x 1 cells.
        assert_eq!(numbers, [12.0, 1.0, 31.0, 11.0, 0.0]);
    }
}

/// Kernels of grids without levels do not change.
#[test]
fn argument_blocks_have_levels_only_if_there_are_several() {
    let interface = |levels: Value| {
        let mut file = json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": [9, 5, 3], "cell_size": 1, "channels": {"a": "float"}}},
            "step": [{"stage": "number", "over": "g", "writes": ["g.a"]}]
        });
        if !levels.is_null() {
            file["grids"]["g"]["levels"] = levels;
        }
        let pipeline = resolve(&file, &[]).unwrap();
        let signature = &pipeline.kernel_of(&pipeline.stages[0]).signature;
        (
            sastrugi::shader::interface::generate(signature).text,
            signature.block_bytes(),
        )
    };
    let (plain, bytes) = interface(Value::Null);
    assert_eq!((plain.clone(), bytes), interface(json!(1)));
    assert!(plain.contains("constant_id = 1100") && !plain.contains("sg_size_of_domain"));
    let (levels, _) = interface(json!(2));
    assert!(!levels.contains("constant_id = 1100") && levels.contains("sg_size_of_domain"));
    // The same kernel, whichever level it is.
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": [9, 5, 3], "cell_size": 1, "levels": 3, "channels": {"a": "float"}},
                  "i": {"pixels": [2, 2], "channels": {"c": {"type": "float", "background": 1}}}},
        "step": [{"repeat": "l", "over": 3, "stages": [
            {"stage": "number", "over": "g[l]", "reads": ["i.c"], "writes": ["g[l].a"]}
        ]}]
    });
    let pipeline = resolve(&file, &[]).unwrap();
    assert_eq!((pipeline.stages.len(), pipeline.kernels.len()), (3, 1));
}

/// Modules name levels of their roles and of grids of their own; their channels are kept.
#[test]
fn modules_use_levels_of_their_roles() {
    let root = tempfile::tempdir().unwrap();
    let module = json!({
        "parameters": {"first": 1},
        "exports": ["down"],
        "roles": {"air": {"cells": {"r": {"type": "float", "background": 0}, "unused": "float"}}},
        "grids": {"own": {"cells": [8, 8, 8], "cell_size": 1, "levels": "all", "channels": {"q": "float"}}},
        "stages": {"down": [
            {"repeat": "l", "over": "air.levels - first", "stages": [
                {"stage": "restrict", "over": "air[l + first]", "bind": {"fine": "air[l]", "coarse": "air[l + first]"},
                 "reads": ["fine.r"], "writes": ["coarse.r"]},
                {"stage": "scale", "over": "air[l]", "reads": ["air[l].r"], "writes": ["air[l].r"]},
                {"set": "own[l + first].q", "to": "l"}
            ]}
        ]}
    });
    std::fs::write(root.path().join("down.json"), module.to_string()).unwrap();
    let file = |levels: u32| {
        json!({
            "use": {"wind": {"module": "down.json", "roles": {"air": "sky"}}},
            "run": {"dt": 1},
            "grids": {"sky": {"cells": [8, 4, 2], "cell_size": 1, "levels": levels, "channels": {"r": "float"}}},
            "step": ["wind.down"]
        })
    };
    let resolved = |file: &Value| {
        let document = Document::parse("t.json", &file.to_string(), root.path()).unwrap();
        let resolved = spec::from_document("t", &document, &Default::default());
        resolved
            .map(|(pipeline, _)| pipeline)
            .map_err(|problems| problems.to_string())
    };
    let pipeline = resolved(&file(3)).unwrap_or_else(|problems| panic!("{problems}"));
    for name in ["sky.r", "sky[1].r", "sky[2].r", "wind.own[3].q"] {
        assert!(pipeline.field(name).is_some(), "{name}");
    }
    for name in ["sky.unused", "wind.air.unused", "sky[3].r"] {
        assert!(pipeline.field(name).is_none(), "{name}");
    }
    let written = |number: usize| {
        let stage = &pipeline.stages[pipeline.step[number].stage];
        stage
            .writes()
            .iter()
            .map(|field| pipeline.fields[*field].name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(pipeline.step.len(), 6);
    assert_eq!(written(0), ["sky[1].r"]);
    assert_eq!(written(4), ["sky[1].r"]);
    assert_eq!(written(5), ["wind.own[2].q"]);
    let scale = pipeline
        .kernels
        .iter()
        .find(|kernel| kernel.signature.fields[0].name == "air_r");
    assert!(scale.is_some(), "the shader has the names of the module");
    // Control: a grid with fewer levels does not fill the role.
    let mut shallow = file(1);
    shallow["use"]["wind"]["parameters"] = json!({"first": 0});
    let problems = resolved(&shallow);
    assert!(problems.is_ok(), "{problems:?}");
    let mut fixed = file(2);
    fixed["use"]["wind"]["parameters"] = json!({"first": "-5"});
    let problems = resolved(&fixed).unwrap_err();
    assert!(problems.contains("`sky` has no level"), "{problems}");
}
