use super::*;
use crate::access::Access::*;
use proptest::prelude::*;

fn barrier(before: Access, after: Access) -> Barrier {
    Barrier {
        before: [before].into(),
        after: [after].into(),
    }
}

#[test]
fn independent_commands_have_no_barrier() {
    assert_eq!(
        place(
            &[
                vec![(0, ShaderWrite)],
                vec![(1, ShaderWrite)],
                vec![(2, ShaderRead)]
            ],
            &[]
        ),
        []
    );
    assert_eq!(place(&[vec![(0, ShaderRead)], vec![(0, ShaderRead)]], &[]), []);
}

#[test]
fn each_hazard_gets_its_exact_barrier() {
    for (first, second) in [
        (ShaderWrite, ShaderRead),
        (ShaderRead, ShaderWrite),
        (ShaderWrite, ShaderWrite),
        (TransferWrite, ShaderRead),
    ] {
        let placed = place(&[vec![(0, first)], vec![(0, second)]], &[]);
        assert_eq!(
            placed,
            [PlacedBarrier {
                command: 1,
                barrier: barrier(first, second)
            }]
        );
    }
}

#[test]
fn one_barrier_covers_several_hazards() {
    let commands = [
        vec![(0, ShaderWrite), (1, ShaderRead)],
        vec![(0, ShaderRead)],
        vec![(0, ShaderRead), (2, ShaderWrite)],
        vec![(1, ShaderWrite), (3, ShaderWrite)],
    ];
    let placed = place(&commands, &[]);
    assert_eq!(placed.len(), 1);
    assert_eq!(placed[0].command, 1);
    assert_eq!(
        placed[0].barrier.before,
        [ShaderWrite].into(),
        "reads need execution order only"
    );
    assert_eq!(placed[0].barrier.after, [ShaderRead].into());
    // Write after write needs more than execution order: the barrier that is there is widened.
    let commands = [
        vec![(0, ShaderWrite), (1, ShaderWrite)],
        vec![(0, ShaderRead)],
        vec![(1, ShaderWrite)],
    ];
    let placed = place(&commands, &[]);
    assert_eq!(placed.len(), 1);
    assert_eq!(placed[0].barrier.after, [ShaderRead, ShaderWrite].into());
}

#[test]
fn cyclic_segment_gets_one_wrap_around_barrier() {
    // b reads what a writes: one barrier before b, one before the next turn's a.
    let segment = (vec![vec![(0, ShaderWrite)], vec![(0, ShaderRead)]], Runs::Always);
    let placed = place_cycle(&[segment]);
    assert_eq!(placed[0].iter().map(|p| p.command).collect::<Vec<_>>(), [0, 1]);
    // c lies in between, so that the barrier before c already orders b and the next a.
    let commands = vec![
        vec![(0, ShaderWrite)],
        vec![(0, ShaderRead), (1, ShaderWrite)],
        vec![(1, ShaderRead)],
    ];
    let placed = place_cycle(&[(commands, Runs::Always)]);
    assert_eq!(placed[0].iter().map(|p| p.command).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn hazards_persist_across_optional_segments() {
    let write = (vec![vec![(0, ShaderWrite)]], Runs::Always);
    let optional = (vec![vec![(1, ShaderWrite)]], Runs::Sometimes);
    let read = (vec![vec![(0, ShaderRead)]], Runs::Always);
    let placed = place_cycle(&[write, optional, read]);
    assert_eq!(
        placed[2],
        [PlacedBarrier {
            command: 0,
            barrier: barrier(ShaderWrite, ShaderRead)
        }]
    );
}

/// Every conflicting pair of a run must have a barrier between that names both kinds, or be ordered through a
/// third command in between. Returns the first pair that is not.
fn unordered_pair(run: &[(Accesses, Option<Barrier>)]) -> Option<(usize, usize)> {
    let direct = |i: usize, j: usize| {
        run[i].0.iter().all(|(item, first)| {
            run[j]
                .0
                .iter()
                .filter(|(other, second)| other == item && first.conflicts(*second))
                .all(|(_, second)| {
                    run[i + 1..=j]
                        .iter()
                        .filter_map(|(_, b)| *b)
                        .any(|b| b.orders(*first, *second))
                })
        })
    };
    let conflict = |i: usize, j: usize| {
        run[i]
            .0
            .iter()
            .any(|(item, a)| run[j].0.iter().any(|(other, b)| item == other && a.conflicts(*b)))
    };
    // reach[i][j]: i is ordered before j through a chain of conflicting, directly ordered pairs.
    let n = run.len();
    let mut reach = vec![vec![false; n]; n];
    for i in (0..n).rev() {
        let linked = |j: usize| conflict(i, j) && direct(i, j);
        let ordered = |j: usize| j > i && (linked(j) || (i + 1..j).any(|k| linked(k) && reach[k][j]));
        reach[i] = (0..n).map(ordered).collect();
    }
    (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
        .find(|(i, j)| conflict(*i, *j) && !reach[*i][*j])
}

fn accesses() -> impl Strategy<Value = Accesses> {
    let access = prop_oneof![
        Just(ShaderRead),
        Just(ShaderWrite),
        Just(ShaderRead),
        Just(TransferRead)
    ];
    proptest::collection::vec((0usize..6, access), 1..4).prop_map(|mut list| {
        list.sort();
        list.dedup();
        list
    })
}

fn turn(
    segments: &[(Vec<Accesses>, Runs)],
    placed: &[Vec<PlacedBarrier>],
    chosen: &[bool],
) -> Vec<(Accesses, Option<Barrier>)> {
    let mut run = Vec::new();
    for (number, (commands, optional)) in segments.iter().enumerate() {
        if *optional == Runs::Sometimes && !chosen[number] {
            continue;
        }
        for (i, command) in commands.iter().enumerate() {
            let barrier = placed[number].iter().find(|p| p.command == i).map(|p| p.barrier);
            run.push((command.clone(), barrier));
        }
    }
    run
}

proptest! {
    #[test]
    fn random_cycles_keep_all_dependencies(
        segments in proptest::collection::vec((proptest::collection::vec(accesses(), 1..6), prop_oneof![Just(Runs::Always), Just(Runs::Sometimes)]), 1..5),
        choices in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 5), 3),
    ) {
        let placed = place_cycle(&segments);
        let run: Vec<_> = choices.iter().flat_map(|chosen| turn(&segments, &placed, chosen)).collect();
        prop_assert_eq!(unordered_pair(&run), None);
    }

    #[test]
    fn no_barrier_of_a_list_is_redundant(commands in proptest::collection::vec(accesses(), 1..40)) {
        let placed = place(&commands, &[]);
        let mut run: Vec<(Accesses, Option<Barrier>)> = commands.into_iter().map(|c| (c, None)).collect();
        for p in &placed {
            run[p.command].1 = Some(p.barrier);
        }
        prop_assert_eq!(unordered_pair(&run), None);
        for p in &placed {
            let kept = run[p.command].1.take();
            prop_assert!(unordered_pair(&run).is_some(), "the barrier before {} is redundant", p.command);
            run[p.command].1 = kept;
        }
    }
}
