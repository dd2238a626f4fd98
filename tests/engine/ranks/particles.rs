//! Particles on ranks: they are cut like the grid by whose cells they are sorted.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sastrugi::run::Spoil;

use super::shipped::load;
use super::*;

const SMALL: &[&str] = &[
    "grids.nodes.cells=[20, 8, 24]",
    "column.lattice=[10, 4, 20]",
    "column.spacing=0.027",
    "transfer.sort_every=3",
    "transfer.gravity=[4, 0, -60]",
    "draw.size=[48, 32]",
];

pub(super) fn water(more: &[&str]) -> Pipeline {
    load("mpm_water", &[SMALL, more].concat())
}

/// Water with outputs of particles, whose steps between two frames are no multiple of those between two sorts.
pub(super) fn written(frames: u64) -> Pipeline {
    let frames = format!("run.frames={frames}");
    let every = [
        "run.checkpoint_every=1",
        "run.steps_per_frame=4",
        "outputs.position.every=1",
    ];
    water(&[&[frames.as_str()], &every[..]].concat())
}

/// Water whose frames end between two sorts.
pub(super) fn seldom_sorted(frames: u64) -> Pipeline {
    let frames = format!("run.frames={frames}");
    water(&[
        &frames,
        "run.checkpoint_every=1",
        "run.steps_per_frame=3",
        "outputs.position.every=1",
        "transfer.sort_every=8",
        // Parts with their halos do not cover the grid.
        "transfer.drift=1",
    ])
}

#[test]
fn water_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = water(&[]);
    let mut chosen = common::sweep(1, 2);
    for parts in [[1, 1, 3], [1, 1, 2]] {
        if !chosen.skips() {
            assert_equal(&gpu, &pipeline, &[parts], &Setting::steps(40));
        }
    }
}

#[test]
#[ignore = "long: checked kernels of all stages of particles"]
fn checked_water_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(6)
    };
    assert_equal(&gpu, &water(&[]), &[[1, 1, 2]], &setting);
}

#[test]
#[ignore = "long: the kernels of all materials"]
fn all_materials_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let settings = ["transfer.sort_every=3", "draw.size=[48, 32]"];
    for name in [
        "mpm_snow_adaptive",
        "mpm_snow_wall",
        "mpm_sand",
        "mpm_jelly",
        "mpm_snow",
        "mpm_bunny",
        "jelly_on_terrain",
    ] {
        let pipeline = load(name, &settings);
        assert_equal(&gpu, &pipeline, &[[1, 1, 2]], &Setting::steps(7));
    }
}

/// A low limit clamps many contributions: their number is a sum over ranks, without ghosts.
#[test]
fn sums_of_ranks_count_no_ghost_twice() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = water(&["transfer.limit=0.3"]);
    let counters = |simulation: &mut Simulation| -> Vec<u32> {
        for _ in 0..10 {
            simulation.step(false).unwrap();
        }
        let bytes = simulation.read("transfer.counters").unwrap();
        bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()
    };
    let mut alone = start(&gpu, pipeline.clone(), Options::PLAIN, Arc::new(NoProbe), None);
    let expected = counters(&mut alone);
    assert!(expected[0] > 1000, "{expected:?}");
    let found = thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(3).into_iter())
            .map(|ranks| {
                let mut pipeline = pipeline.clone();
                pipeline.cut(&CutRequest::default(), ranks.rank(), 3).unwrap();
                let mut simulation = start(&gpu, pipeline, Options::PLAIN, Arc::new(NoProbe), Some(ranks));
                scope.spawn(move || counters(&mut simulation))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(found[0], expected);
}

/// Without new ghosts, or with halos of velocities that are too thin, the hash changes, or ranks notice it.
#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_mistakes_in_exchanges_change_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = water(&["transfer.drift=1", "transfer.sort_every=2"]);
    let setting = Setting::steps(40);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let with = |spoil: Spoil| {
        let probe = Arc::new(controls::Spoils(spoil));
        let run = || {
            hash_on(
                &gpu,
                &pipeline,
                [1, 1, 2],
                &Setting {
                    probe,
                    ..setting.clone()
                },
            )
        };
        catch_unwind(AssertUnwindSafe(run)).ok()
    };
    assert_eq!(with(Spoil::None), Some(alone));
    assert_ne!(with(Spoil::NoGhosts), Some(alone));
}

#[test]
fn a_particle_that_moves_too_far_is_an_error() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = water(&[
        "transfer.drift=1",
        "transfer.sort_every=40",
        "transfer.gravity=[0, 0, 400]",
    ]);
    let errors = thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(2).into_iter())
            .map(|ranks| {
                let mut pipeline = pipeline.clone();
                pipeline.cut(&CutRequest::default(), ranks.rank(), 2).unwrap();
                let mut simulation = start(&gpu, pipeline, Options::PLAIN, Arc::new(NoProbe), Some(ranks));
                scope.spawn(move || (0..41).find_map(|_| simulation.step(false).err()))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    });
    for error in errors {
        let error = error.unwrap().to_string();
        assert!(error.contains("a particle of `matter` has moved by"), "{error}");
        assert!(
            error.contains("raise `drift` of the sort, or sort more often"),
            "{error}"
        );
    }
}

/// If one of the stages that add to a buffer runs whole, each rank has the whole sum.
#[test]
fn a_buffer_is_no_sum_if_a_stage_adds_on_every_rank() {
    let request = |whole| CutRequest { parts: None, whole };
    let mut pipeline = water(&[]);
    let mut parts = pipeline.clone();
    parts.cut(&request(Whole::None), 0, 2).unwrap();
    assert_eq!(
        parts.cut.unwrap().sums,
        [pipeline.field("transfer.counters").unwrap()]
    );
    for stage in &mut pipeline.stages {
        stage.own_numbers |= stage.name == "transfer.p2g";
        stage.may_run_whole = false;
    }
    let uncut = pipeline
        .clone()
        .cut(&request(Whole::Stages(vec!["transfer.p2g".into()])), 0, 2);
    let messages: Vec<String> = uncut
        .unwrap_err()
        .into_iter()
        .map(|uncut| uncut.message)
        .collect();
    let cause = "stage `transfer.move_nodes` cannot be cut into parts: it writes `transfer.counters`";
    assert!(
        messages.iter().any(|message| message.starts_with(cause)),
        "{messages:?}"
    );
    pipeline.cut(&request(Whole::All), 0, 2).unwrap();
    assert!(pipeline.cut.unwrap().sums.is_empty());
}

#[test]
fn parts_thinner_than_ghosts_and_other_axes_are_refused() {
    let refused = |parts: [usize; 3]| {
        let request = CutRequest {
            parts: Some(parts),
            whole: Whole::None,
        };
        let uncut = water(&[]).cut(&request, 0, parts.iter().product()).unwrap_err();
        uncut[0].message.clone()
    };
    assert_eq!(
        refused([2, 1, 1]),
        "particles of `matter` are cut along z alone: their sort keeps planes of cells together"
    );
    assert_eq!(
        refused([1, 1, 6]),
        "a part has 4 planes of cells along z, but ranks exchange the particles of `matter` of 5 planes: use fewer ranks, or a \
         smaller `drift`"
    );
}
