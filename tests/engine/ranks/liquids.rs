//! Liquids of particles on ranks: faces gather particles that are sorted by cell, and particles are cut with the cells.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sastrugi::run::Spoil;

use super::shipped::load;
use super::*;

/// A column of water that falls by up to a cell in a step.
const SMALL: &[&str] = &[
    "n=16",
    "tank=[0.5, 0.25, 1]",
    "particles.matter.from=[{\"box\": [[0, 0, 0], [0.25, 0.25, 0.9]], \"spacing\": 0.03125, \"jitter\": 0.5, \
     \"set\": {\"velocity\": [0.4, 0, \"-7 * z\"], \"number\": \"i\"}}]",
    "use.draw=null",
    "outputs.view=null",
    "frame=[\"measure_volume\"]",
];

/// Without the pressure solver, whose kernels take long to compile.
const DROPS: &str = "step=[\"water.sort\", \"water.p2g\", \"water.g2p\"]";

const ALONG_Z: &[[usize; 3]] = &[[1, 1, 2], [1, 1, 3], [1, 1, 4]];
const ACROSS: &[[usize; 3]] = &[[2, 1, 1], [1, 2, 1], [2, 1, 2]];

fn dam(more: &[&str]) -> Pipeline {
    load("flip_dam", &[SMALL, more].concat())
}

/// Drops with outputs of particles and cells.
pub(super) fn written(frames: u64) -> Pipeline {
    dam(&[
        DROPS,
        &format!("run.frames={frames}"),
        "run.checkpoint_every=1",
        "run.steps_per_frame=3",
        "outputs.position.every=1",
        "outputs.cells={\"source\": \"tank.cell_type\", \"format\": \"npy\", \"every\": 1}",
    ])
}

fn whole(steps: u64) -> Setting {
    Setting {
        whole: Whole::All,
        ..Setting::steps(steps)
    }
}

#[test]
fn drops_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    // Parts of four are as thin as the ghosts between them.
    assert_equal(
        &gpu,
        &dam(&[DROPS]),
        &[ALONG_Z[0], ALONG_Z[2]],
        &Setting::steps(3),
    );
}

#[test]
#[ignore = "long: multigrid on two to four ranks, each with kernels of its own"]
fn a_dam_breaks_equally() {
    let Some(gpu) = common::gpu() else { return };
    assert_equal(&gpu, &dam(&[]), ALONG_Z, &Setting::steps(8));
    let affine = dam(&["use.water.parameters={\"apic\": 1}"]);
    assert_equal(&gpu, &affine, &ALONG_Z[..1], &Setting::steps(4));
}

#[test]
#[ignore = "long: multigrid on two to four ranks, each with kernels of its own"]
fn a_dam_breaks_equally_with_whole_particles() {
    let Some(gpu) = common::gpu() else { return };
    assert_equal(&gpu, &dam(&[]), ACROSS, &whole(8));
}

#[test]
#[ignore = "long: checked kernels of all stages of a liquid"]
fn a_checked_dam_breaks_equally() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(3)
    };
    assert_equal(&gpu, &dam(&[]), &ALONG_Z[..1], &setting);
}

/// Velocities of 16 cells in a step: particles move by less than four, as far as ranks look.
#[test]
#[ignore = "long: the kernels of three ranks"]
fn fast_drops_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let fast = "particles.matter.from=[{\"box\": [[0, 0, 0], [0.25, 0.25, 0.9]], \"spacing\": 0.03125, \"jitter\": 0.5, \
                \"set\": {\"velocity\": [0.4, 0, \"if(x < 0.1, -120, 120)\"], \"number\": \"i\"}}]";
    assert_equal(&gpu, &dam(&[DROPS, fast]), &ALONG_Z[..2], &Setting::steps(5));
}

/// Without new ghosts, or without an exchange, the hash changes, or ranks notice it. Halos of one cell less would still be wide
/// enough: a sort in every step leaves no particle outside the cell in which it was sorted, but halos allow for `drift`.
#[test]
#[ignore = "long: the kernels of two ranks, three times"]
fn control_mistakes_in_exchanges_change_drops() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = dam(&[DROPS]);
    let setting = Setting::steps(4);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let with = |spoil: Spoil| {
        let probe = Arc::new(controls::Spoils(spoil));
        let setting = Setting {
            probe,
            ..setting.clone()
        };
        catch_unwind(AssertUnwindSafe(|| hash_on(&gpu, &pipeline, [1, 1, 2], &setting))).ok()
    };
    assert_eq!(with(Spoil::None), Some(alone));
    for spoil in [Spoil::NoGhosts, Spoil::Drop] {
        assert_ne!(with(spoil), Some(alone));
    }
}

/// All stages run on parts, except those of the solver on small levels and regions.
#[test]
fn particles_of_a_liquid_are_cut() {
    let mut pipeline = dam(&[]);
    pipeline.cut(&CutRequest::default(), 0, 2).unwrap();
    let cut = pipeline.cut.as_deref().unwrap();
    let (axis, ghosts) = (cut.sets[0].axis, cut.sets[0].ghosts.unwrap());
    assert_eq!((cut.partition.parts, axis, ghosts), ([1, 1, 2], 2, 4));
    for name in [
        "find_cells",
        "find_ranges",
        "place",
        "find_surface",
        "mark_cells",
        "p2g_u",
        "p2g_w",
        "g2p",
    ] {
        let name = format!("water.{name}");
        let mut stages = pipeline.stages.iter();
        let id = stages.position(|stage| stage.name == name).unwrap();
        assert!(cut.grow(id).is_some(), "{name}: {:?}", cut.shares[id]);
    }
}

/// A stage over cells reads particles of a set that is cut: near its cells as it states, else of all ranks.
#[test]
fn stages_state_how_far_particles_are() {
    let cut = |reach: &str, reads: &str| {
        let gather =
            format!("#pragma reach s_mass {reach}\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {{}}");
        let weigh = format!("#pragma reach s_mass {reads}\n#include \"stage.glsl\"\nvoid stage(uint i) {{}}");
        let file = serde_json::json!({
            "run": {"dt": 1},
            "grids": {"g": {"cells": [4, 4, 64], "cell_size": 1, "channels": {"sum": "float"}}},
            "particles": {"s": {"count": 100000, "ring": 2, "attributes": {"cell": "uint", "mass": "float"}}},
            "step": [
                {"sort": "s", "by": "s.cell", "cells": "g", "drift": 2},
                {"stage": "weigh", "over": "s", "reads": ["s.mass"], "writes": ["s.mass"]},
                {"stage": "gather", "over": "g", "reads": ["s.mass"], "writes": ["g.sum"]}
            ]
        });
        let mut pipeline = pipeline(&file, &[("weigh", &weigh), ("gather", &gather)]);
        let uncut = pipeline.cut(&CutRequest::default(), 0, 2);
        let ghosts = pipeline.cut.map(|cut| cut.sets[0].ghosts.unwrap());
        uncut
            .map(|_| ghosts.unwrap())
            .map_err(|uncut| uncut[0].message.clone())
    };
    assert_eq!(cut("1", "0"), Ok(2));
    assert_eq!(cut("3", "0"), Ok(3));
    let refused = |reach: &str, reads: &str, cause: &str| {
        assert_eq!(cut(reach, reads), Err(format!("stage {cause}")));
    };
    let gather = "`gather` cannot be cut into parts: it reads `s.mass` anywhere, and steps write it in parts";
    refused("anywhere", "0", gather);
    let weigh = "`weigh` cannot be cut into parts: it reads `s.mass` of other particles anywhere, and it reads `s.mass`, which \
                 steps write in parts";
    refused("1", "anywhere", weigh);
}

/// A lake that breaks out into a valley.
const FLOOD: &[&str] = &[
    "cell=4",
    "grids.valley.sparse.block=[8, 8, 8]",
    "water.solver.max_iterations=60",
    "grids.ground.vertices=[96, 100]",
    "grids.ground.channels.elevation.values.metres_per_pixel=[3, 3.5]",
    "use.draw=null",
    "outputs.view=null",
    "frame=[]",
    "init=[\"water.request\", {\"update_grid\": \"valley\"}]",
];

/// Cuts along other axes than the sort: every rank may run the stages over particles whole.
const WHOLE: &[(&str, &[&str], [usize; 3])] = &[
    ("flip_flood", FLOOD, [2, 2, 1]),
    (
        "pic_explosion",
        &[
            "cells=64",
            "cell=0.12",
            "body.spacing=0.08",
            "gas.release=0.004",
            "use.draw=null",
            "outputs.view=null",
            "frame=[]",
        ],
        [1, 2, 1],
    ),
    (
        "pic_dissolve",
        &[
            "cells=64",
            "cell=0.12",
            "body.spacing=0.08",
            "loose.first=0",
            "loose.lasts=0.1",
            "use.draw=null",
            "outputs.view=null",
            "frame=[]",
        ],
        [2, 1, 1],
    ),
];

#[test]
#[ignore = "long: the kernels of three pipelines"]
fn whole_particles_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    for (name, settings, parts) in WHOLE {
        let pipeline = load(name, settings);
        let parts_of = |parts| CutRequest {
            parts,
            whole: Whole::None,
        };
        let cut = |parts, ranks| pipeline.clone().cut(&parts_of(parts), 0, ranks);
        assert!(cut(Some(*parts), parts.iter().product()).is_err(), "{name}");
        assert!(cut(None, 2).is_ok(), "{name}");
        assert_equal(&gpu, &pipeline, &[*parts], &whole(6));
    }
}

/// Water that crosses the borders between parts, on blocks that it requests.
fn flood() -> Pipeline {
    let settings = [
        "domain.size=[160, 160, 96]",
        "lake.high=[132, 132, 90]",
        "run.dt=0.2",
        "particles.matter.from=[{\"box\": [\"lake.low\", \"lake.high\"], \"spacing\": \"0.5 * cell\", \"jitter\": 0.5, \
         \"set\": {\"velocity\": [3, 0, \"if(x < 122, 18, -18)\"], \"number\": \"i\"}}]",
    ];
    load("flip_flood", &[FLOOD, &settings].concat())
}

#[test]
#[ignore = "long: a pressure solver on two and three ranks"]
fn a_flood_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    assert_equal(&gpu, &flood(), &ALONG_Z[..2], &Setting::steps(8));
}

/// Ghosts move as own particles do. So it shows when particles from beyond them have arrived.
#[test]
#[ignore = "long: a pressure solver on two ranks"]
fn control_a_flood_without_new_ghosts_has_other_bits() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting::steps(8);
    let alone = hash_alone(&gpu, &flood(), &setting);
    let probe = Arc::new(controls::Spoils(Spoil::NoGhosts));
    let spoilt = Setting { probe, ..setting };
    let found = catch_unwind(AssertUnwindSafe(|| hash_on(&gpu, &flood(), [1, 1, 2], &spoilt)));
    assert_ne!(found.ok(), Some(alone));
}

/// Wind on parts; flakes, and a slab of snow on a grid of its own, whole on every rank.
#[test]
#[ignore = "long: the kernels of two and four ranks"]
fn an_avalanche_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let settings = [
        "grids.air.cells=[40, 42, 16]",
        "grids.air.origin=[0.7, 3, -7]",
        "grids.ground.channels.elevation.values.metres_per_pixel=[0.7, 0.875]",
        "grids.ground.channels.elevation.values.metres_per_level=0.04",
        "grids.ground.vertices=[96, 100]",
        "flakes.count=2000",
        "slab.lattice=[10, 10, 4]",
        "slab.low=[122, 120]",
        "box.low=[116, 112, 0]",
        "box.cells=[24, 24, 40]",
        "bed.rest_time=0.1",
        "bed.slow=1",
        "outputs.view=null",
        "frame=[]",
        "init=[\"start_air\", \"init_flakes\", \"fill\", \"transfer.init\"]",
    ];
    let pipeline = load("snow_avalanche", &settings);
    assert_equal(&gpu, &pipeline, &[[1, 2, 1], [2, 2, 1]], &Setting::steps(10));
}
