//! Random pipelines of up to 200 stages: the plan keeps every order of reads and writes, and places no barrier
//! that could go.
//!
//! Among the stages there are swaps of fields, and repeats with `while` of which the host leaves out the last parts, on
//! devices that skip commands under a condition and on those that do not.
//!
//! The order is checked on what stages really touch: the copies of rings, in runs of several turns with every-n-th
//! stages left out of some. That no barrier is redundant is shown for lists (`init`) and for cycles (`step`) whose
//! stages all run in every turn, whatever segments the outputs cut them into. Where stages run every n steps, one
//! recording serves turns with and without them, and may hold a barrier that no rhythm needs.

mod order;
mod random;

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;
use sastrugi::ir::Pipeline;
use sastrugi::plan::{self, Command, List, Plan, Segment, When};
use sastrugi::spec::{self, Document};
use sastrugi::workgroups::DeviceClass;

use order::{Grain, first_disorder, first_disorder_but, run, without_each_barrier};
use random::{ATTRIBUTES, BUFFERS, RandomList, RandomStage, lists, pipeline, pipeline_of, stages};

fn always(_: u64, _: usize, _: &Segment) -> bool {
    true
}

type Checked = Result<(), TestCaseError>;

fn keeps_all_dependencies(
    init: &[RandomStage],
    step: &[RandomStage],
    outputs: &[usize],
    chosen: u64,
) -> Checked {
    let pipeline = pipeline(init, step, outputs);
    let plan = plan::plan(&pipeline).unwrap();
    for grain in [Grain::Copies, Grain::Fields] {
        prop_assert_eq!(
            first_disorder(&run(&pipeline, &plan, List::Init, 1, grain, always)),
            None
        );
        let as_planned = |turn: u64, _: usize, segment: &Segment| segment.is_due(turn);
        prop_assert_eq!(
            first_disorder(&run(&pipeline, &plan, List::Step, 7, grain, as_planned)),
            None
        );
        // Whatever the rhythm: each optional segment in or out at random.
        let at_random = |turn: u64, number: usize, segment: &Segment| {
            segment.every == 1 || (chosen.rotate_left((turn * 13 + number as u64) as u32 % 64) & 1) == 1
        };
        prop_assert_eq!(
            first_disorder(&run(&pipeline, &plan, List::Step, 5, grain, at_random)),
            None
        );
    }
    Ok(())
}

fn keeps_all_dependencies_of_lists(list: &RandomList, outputs: &[usize], taken: &[usize]) -> Checked {
    let pipeline = pipeline_of(list, outputs);
    for conditional in [true, false] {
        let plan = plan::plan_for(
            &pipeline,
            plan::Target {
                class: DeviceClass::Gpu,
                conditional,
            },
        )
        .unwrap();
        // The host submits the first two parts of a repeat before it looks.
        let ends = |turn: u64, _: usize, segment: &Segment| {
            segment.is_due(turn)
                && segment
                    .part
                    .is_none_or(|part| part.number < 2 + taken[turn as usize])
        };
        for grain in [Grain::Copies, Grain::Fields] {
            let chains = grain == Grain::Copies;
            let events = run(&pipeline, &plan, List::Step, 8, grain, ends);
            prop_assert_eq!(first_disorder_but(&events, chains), None);
        }
        // No stage is gated that has no condition, and all that have several are.
        for command in plan.step.iter().flat_map(|segment| &segment.commands) {
            if let Command::Dispatch { invocation, when, .. } = command {
                let conditions = pipeline.stages[pipeline.step[*invocation].stage].conditions.len();
                let gated = conditions > 1 || (conditions == 1 && !conditional);
                prop_assert_eq!(matches!(when, When::Gated(_)), gated);
                prop_assert_eq!(matches!(when, When::Always), conditions == 0);
            }
        }
    }
    Ok(())
}

fn needs_every_barrier_of_a_list(init: &[RandomStage]) -> Checked {
    let pipeline = pipeline(init, &[], &[]);
    let plan = plan::plan(&pipeline).unwrap();
    for (number, less) in without_each_barrier(&plan, List::Init).enumerate() {
        let events = run(&pipeline, &less, List::Init, 1, Grain::Fields, always);
        prop_assert!(
            first_disorder(&events).is_some(),
            "barrier {} of the list is redundant",
            number
        );
    }
    Ok(())
}

fn needs_every_barrier_of_a_cycle(step: &[RandomStage], outputs: &[usize]) -> Checked {
    let pipeline = pipeline(&[], step, outputs);
    let plan = plan::plan(&pipeline).unwrap();
    for (number, less) in without_each_barrier(&plan, List::Step).enumerate() {
        let events = run(&pipeline, &less, List::Step, 3, Grain::Fields, always);
        prop_assert!(
            first_disorder(&events).is_some(),
            "barrier {} of the cycle is redundant",
            number
        );
    }
    Ok(())
}

fn outputs() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..BUFFERS + ATTRIBUTES, 0..3)
}

/// The tests, with so many random pipelines each.
macro_rules! properties {
    ($cases:expr $(, #[$attribute:meta])?) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: $cases, failure_persistence: None, ..ProptestConfig::default() })]

            #[test]
            $(#[$attribute])?
            fn plans_keep_all_dependencies(
                init in stages(40, 1), step in stages(200, 5), outputs in outputs(), chosen in any::<u64>(),
            ) {
                keeps_all_dependencies(&init, &step, &outputs, chosen)?;
            }

            #[test]
            $(#[$attribute])?
            fn plans_keep_all_dependencies_with_swaps_and_early_exits(
                list in lists(), outputs in outputs(), taken in proptest::collection::vec(0usize..12, 8),
            ) {
                keeps_all_dependencies_of_lists(&list, &outputs, &taken)?;
            }

            #[test]
            $(#[$attribute])?
            fn no_barrier_of_a_list_is_redundant(init in stages(200, 1)) {
                needs_every_barrier_of_a_list(&init)?;
            }

            #[test]
            $(#[$attribute])?
            fn no_barrier_of_a_cycle_is_redundant(step in stages(200, 1), outputs in outputs()) {
                needs_every_barrier_of_a_cycle(&step, &outputs)?;
            }
        }
    };
}

properties!(20);

mod many {
    use super::*;

    properties!(
        std::env::var("SASTRUGI_PLAN_CASES").map_or(200, |cases| cases.parse().unwrap()),
        #[ignore = "long: 200 pipelines"]
    );
}

/// Placed one by one, the segments of this cycle would each bring a barrier that the other's makes needless.
#[test]
fn segments_share_barriers_for_common_conflicts() {
    let stage = |field| RandomStage {
        reads: vec![],
        writes: vec![field],
        every: 1,
    };
    let pipeline = pipeline(&[], &[stage(0), stage(6)], &[6]);
    let plan = plan::plan(&pipeline).unwrap();
    let as_planned = run(&pipeline, &plan, List::Step, 3, Grain::Fields, always);
    assert_eq!(first_disorder(&as_planned), None);
    for less in without_each_barrier(&plan, List::Step) {
        let events = run(&pipeline, &less, List::Step, 3, Grain::Fields, always);
        assert!(first_disorder(&events).is_some());
    }
}

#[test]
fn control_order_check_detects_each_missing_barrier() {
    let stage = |reads: &[usize], writes: &[usize]| RandomStage {
        reads: reads.to_vec(),
        writes: writes.to_vec(),
        every: 1,
    };
    for (first, second, kind) in [
        (stage(&[], &[0]), stage(&[0], &[]), "read after write"),
        (stage(&[0], &[]), stage(&[], &[0]), "write after read"),
        (stage(&[], &[0]), stage(&[], &[0]), "write after write"),
    ] {
        let pipeline = pipeline(&[first, second], &[], &[]);
        let plan = plan::plan(&pipeline).unwrap();
        assert_eq!(
            first_disorder(&run(&pipeline, &plan, List::Init, 1, Grain::Copies, always)),
            None
        );
        let broken: Vec<Plan> = without_each_barrier(&plan, List::Init).collect();
        assert_eq!(broken.len(), 1);
        let events = run(&pipeline, &broken[0], List::Init, 1, Grain::Copies, always);
        assert_eq!(first_disorder(&events), Some((1, kind)));
    }
}
