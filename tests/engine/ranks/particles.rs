//! Particles on ranks: they are cut like the grid by whose cells they are sorted.

use sastrugi::run::Spoil;

use super::shipped::load;
use super::*;

const SMALL: &[&str] = &[
    "grids.nodes.cells=[20, 8, 24]",
    "column.lattice=[10, 5, 20]",
    "column.spacing=0.027",
    "transfer.sort_every=3",
    "transfer.gravity=[4, 0, -60]",
    "draw.size=[48, 32]",
];

fn water(more: &[&str]) -> Pipeline {
    load("mpm_water", &[SMALL, more].concat())
}

#[test]
fn water_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = water(&[]);
    let cuts = [[1, 1, 2], [1, 1, 3]];
    assert_equal(&gpu, &pipeline, &cuts, &Setting::steps(40));
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
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(found[0], expected);
}

/// Drops one exchange.
struct DropsOne(u64);

impl Probe for DropsOne {
    fn spoils(&self, exchange: u64) -> Spoil {
        if exchange == self.0 { Spoil::Drop } else { Spoil::None }
    }
}

/// The first step exchanges ghosts, then velocities of nodes.
#[test]
fn control_one_dropped_exchange_changes_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = water(&["transfer.sort_every=50"]);
    let setting = Setting::steps(4);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let without = |probe: Arc<dyn Probe>| hash_on(&gpu, &pipeline, [1, 1, 2], &Setting { probe, ..setting.clone() });
    assert_eq!(without(Arc::new(NoProbe)), alone);
    for exchange in [0, 1] {
        assert_ne!(without(Arc::new(DropsOne(exchange))), alone, "{exchange}");
    }
}

#[test]
fn a_particle_that_moves_too_far_is_an_error() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = water(&["transfer.drift=1", "transfer.sort_every=40", "transfer.gravity=[0, 0, 400]"]);
    let errors = thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(2).into_iter())
            .map(|ranks| {
                let mut pipeline = pipeline.clone();
                pipeline.cut(&CutRequest::default(), ranks.rank(), 2).unwrap();
                let mut simulation = start(&gpu, pipeline, Options::PLAIN, Arc::new(NoProbe), Some(ranks));
                scope.spawn(move || (0..41).find_map(|_| simulation.step(false).err()))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for error in errors {
        let error = error.unwrap().to_string();
        assert!(error.contains("a particle of `matter` has moved by"), "{error}");
        assert!(error.contains("raise `drift` of the sort, or sort more often"), "{error}");
    }
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
