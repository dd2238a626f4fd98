//! Lattice Boltzmann on ranks: populations stream in place, and messages have those that cross a cut.

use sastrugi::plan::{self, Halos, List, Want};
use sastrugi::run::Spoil;
use serde_json::json;

use super::super::lbm;
use super::controls::Spoils;
use super::*;

#[test]
fn lattice_boltzmann_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let mut cuts = common::sweep(2, 19);
    // Thin and unequal parts, and an odd and an even number of steps.
    let plane: &[_] = &[[1, 2, 1], [2, 1, 1], [2, 2, 1], [1, 9, 1]];
    let space: &[_] = &[[1, 1, 2], [2, 2, 1], [1, 1, 3], [3, 1, 2], [1, 1, 6]];
    let mut number = 0;
    for (module, populations, size, parts) in [
        ("lbm_2d", 9, [12, 9, 1], plane),
        ("lbm", 19, [8, 5, 6], space),
        ("lbm", 27, [8, 5, 6], space),
        ("lbm_half", 19, [9, 5, 6], space),
    ] {
        for parts in parts {
            number += 1;
            if !cuts.skips() {
                let walls = lbm::walls(module, populations, size);
                assert_equal(&gpu, &walls, &[*parts], &Setting::steps(4 + number % 2));
            }
        }
    }
}

/// The exchange before a step of lattice Boltzmann in a steady run.
fn wants(
    module: &'static str,
    populations: usize,
    size: [i64; 3],
    parts: [usize; 3],
) -> (Pipeline, Vec<Want>) {
    let mut pipeline = lbm::walls(module, populations, size);
    let request = CutRequest {
        parts: Some(parts),
        whole: Whole::None,
    };
    (pipeline.cut(&request, 0, parts.iter().product())).unwrap_or_else(|uncut| panic!("{uncut:?}"));
    let plan = plan::plan(&pipeline).unwrap();
    let (mut halos, mut last) = (Halos::default(), Vec::new());
    for step in 0..4 {
        last.clear();
        for (number, segment) in plan.segments(List::Step).iter().enumerate() {
            let wants = halos.wants(&pipeline, &plan, (List::Step, number), step);
            halos.exchanged(&wants);
            halos.ran(&pipeline, &plan, segment, step);
            last.extend(wants);
        }
    }
    (pipeline, last)
}

#[test]
fn messages_have_the_populations_that_cross_a_cut() {
    let across = [
        ("lbm_2d", 9, [12, 9, 1], [1, 3, 1], 12 * 3),
        ("lbm", 19, [8, 5, 6], [1, 1, 3], 8 * 5 * 5),
        ("lbm", 27, [8, 5, 6], [1, 1, 3], 8 * 5 * 9),
        ("lbm", 19, [8, 5, 6], [1, 5, 1], 8 * 6 * 5),
    ];
    for (module, populations, size, parts, crossing) in across {
        let (pipeline, wants) = wants(module, populations, size, parts);
        let f = pipeline.field("flow.grid.f").unwrap();
        // Walls keep their types and velocities, and density is read in its own cell alone.
        let [of_f] = &wants[..] else {
            panic!("{wants:?}");
        };
        assert_eq!(of_f.at.0, f);
        let partition = &pipeline.cut.as_ref().unwrap().partition;
        for from in 1..partition.ranks() {
            let sent: u64 = of_f
                .pieces(partition, &Default::default(), [from, 0])
                .iter()
                .map(|piece| piece.count())
                .sum();
            let is_beside = from == 1 || from + 1 == partition.ranks();
            assert_eq!(
                sent,
                if is_beside { crossing } else { 0 },
                "{module} {populations} from {from}"
            );
        }
    }
}

/// A flow in a plane in which walls move, and cells become moving walls or fluid with the velocity that they have.
fn changing(stages: &[&str]) -> Pipeline {
    let stage = |name: &str, fields: &[&str], every: u32| {
        let fields: Vec<String> = fields.iter().map(|field| format!("box.{field}")).collect();
        json!({"stage": name, "over": "box", "reads": fields, "writes": fields, "every": every})
    };
    let mut step = vec![json!("flow.step")];
    for name in stages {
        match *name {
            "push" => step.push(stage("push", &["u", "cell_type"], 2)),
            _ => step.extend([stage("turn", &["cell_type"], 3), json!("flow.mark")]),
        }
    }
    let mut first = stage("scatter", &["u", "cell_type"], 1);
    first["reads"] = json!([]);
    let file = json!({
        "run": {"dt": 0.01, "frames": 1},
        "use": {"flow": {"module": "modules/lbm_2d.json", "roles": {"grid": "box"}, "parameters": {"viscosity": 0.02}}},
        "grids": {"box": {"cells": [12, 9], "cell_size": 0.1, "channels": {
            "cell_type": "uint8", "rho": {"type": "float", "background": 1}, "u": "vec2"}}},
        "init": [first, "flow.init"],
        "step": step,
        "frame": ["flow.forces"]
    });
    let is_moving = "bool is_moving(ivec2 i) { return (5 * i.x + 2 * i.y) % 7 == 0; }";
    let kernel =
        |body: &str| format!("#include \"stage.glsl\"\n{is_moving}\nvoid stage(ivec2 i) {{ {body} }}");
    let scatter = kernel(
        "set_box_cell_type(i, is_moving(i) ? 3u : 0u); set_box_u(i, 0.2 * sin(vec2(3 * i.x + i.y, i.x - 2 * i.y)));",
    );
    let push = kernel("if ((box_cell_type(i) & 7u) == 3u) set_box_u(i, box_u(i).yx * vec2(-0.9, 0.9));");
    let turn = kernel(
        "uint word = box_cell_type(i);
         if ((i.x + i.y) % 4 == 0) set_box_cell_type(i, (word & 7u) == 0u ? word | 3u : word & ~3u);",
    );
    pipeline(&file, &[("scatter", &scatter), ("push", &push), ("turn", &turn)])
}

#[test]
fn changes_of_walls_reach_all_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let mut cuts = common::sweep(1, 6);
    for stages in [&["push"][..], &["turn"], &["push", "turn"]] {
        for parts in [[1, 3, 1], [2, 2, 1]] {
            if !cuts.skips() {
                assert_equal(&gpu, &changing(stages), &[parts], &Setting::steps(8));
            }
        }
    }
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_populations_at_other_places_change_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let walls = lbm::walls("lbm_2d", 9, [12, 9, 1]);
    let setting = Setting::steps(4);
    let alone = hash_alone(&gpu, &walls, &setting);
    for spoil in [Spoil::Drop, Spoil::Unshifted] {
        let probe = Arc::new(Spoils(spoil));
        let setting = Setting {
            probe,
            ..setting.clone()
        };
        assert_ne!(hash_on(&gpu, &walls, [1, 2, 1], &setting), alone, "{spoil:?}");
    }
}
